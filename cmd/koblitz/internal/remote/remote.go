// Package remote parses the addresses of servers and creates HTTP clients for them. The servers are
// not trusted.
//
// An address may contain a key after the host, as those of providers do. This package shows no more
// of an address than its scheme and host.
package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// An Address is the address of a server.
type Address struct {
	// Name is the scheme and the host, without secrets.
	Name string

	// URL is the whole address. It may contain a key.
	URL string
}

// Parse parses a URL that has a host and one of two schemes. A user name or password in it is an
// error. hint is appended to that error; it may say where they belong.
func Parse(address string, schemes [2]string, hint string) (Address, error) {
	u, err := url.Parse(address)
	switch {
	case !strings.Contains(address, "://"):
		return Address{}, fmt.Errorf("the address has no scheme: put %s:// or %s:// before it",
			schemes[0], schemes[1])
	case err != nil:
		return Address{}, errors.New("no URL") // the library's error contains the whole address
	case u.Scheme != schemes[0] && u.Scheme != schemes[1]:
		return Address{}, fmt.Errorf("an URL begins with %s:// or %s://", schemes[0], schemes[1])
	case u.Host == "":
		return Address{}, errors.New("no host in the URL")
	case u.User != nil:
		return Address{}, errors.New("name and password do not belong in an URL, where other users " +
			"see them" + hint)
	}
	return Address{printable.Text(u.Scheme + "://" + u.Host), address}, nil
}

// maxHeader limits the headers of an answer, in bytes.
const maxHeader = 64 << 10

// HTTP returns a client that uses the proxy of the environment. It follows no redirects, since a
// request is meant for one host alone.
func HTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = proxy(transport.Proxy)
	transport.MaxResponseHeaderBytes = maxHeader
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// proxy returns find, which chooses the proxy for a request, with errors that may be shown: an
// error of net/http contains the proxy's address, which may contain a password.
func proxy(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		proxy, err := find(r)
		if err != nil {
			return nil, errors.New("the proxy that the environment names has no address that can be read")
		}
		return proxy, nil
	}
}
