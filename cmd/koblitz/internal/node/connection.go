package node

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// parseAddress parses the address of a node, an http or https URL with a host. name is the scheme
// and the host, which contain no secrets. The rest may contain a key, as in the addresses of API
// providers. A user name or password is an error.
func parseAddress(address string) (name string, err error) {
	u, err := url.Parse(address)
	switch {
	case !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://"):
		return "", errors.New("an URL begins with http:// or https://")
	case err != nil || u.Host == "":
		return "", errors.New("no URL with a host") // the error of net/url contains the whole address
	case u.User != nil:
		return "", errors.New("name and password do not belong in an URL, where other users see them; " +
			"put them in a file for --rpc-auth")
	}
	return reading.Printable(u.Scheme + "://" + u.Host), nil
}

// maxHeader limits the headers of a response, in bytes.
const maxHeader = 64 << 10

// newHTTP returns a client that uses the proxy that find returns for a request, such as the one
// named in the environment. It follows no redirects, because a request may contain a key that only
// the addressed host should get.
func newHTTP(find func(*http.Request) (*url.URL, error)) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = maxHeader
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		proxy, err := find(r)
		if err != nil { // it contains the proxy's address, which may contain a password
			return nil, errors.New("the proxy that the environment names has no address that can be read")
		}
		return proxy, nil
	}
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// maxError limits the text of a connection error that is shown, in bytes.
const maxError = 200

// shown returns the error of a connection to a node in a form that may be shown. It leaves out the
// node's address, which may contain a key, and cuts the text after 200 bytes, since it may contain
// data that the node sent.
func shown(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	if len(text) > maxError {
		text = text[:maxError] + "…"
	}
	return errors.New(reading.Printable(text))
}
