// Package remote has what clients of servers share that are not trusted: which addresses they take,
// and how they connect.
//
// An address may have a key in it behind the host, as those of providers do. Nothing here prints
// more of one than its scheme and its host.
package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// An Address is where a server is.
type Address struct {
	// Name is the scheme and the host, which may be shown.
	Name string

	// URL is all of it.
	URL string
}

// Parse reads an URL with a host that begins with one of two schemes. A name and a password in it
// are an error, to which hint is added: where they belong, or nothing.
func Parse(address string, schemes [2]string, hint string) (Address, error) {
	u, err := url.Parse(address)
	switch {
	case !strings.Contains(address, "://"):
		return Address{}, fmt.Errorf("the address has no scheme: put %s:// or %s:// before it",
			schemes[0], schemes[1])
	case err != nil:
		return Address{}, errors.New("no URL") // the library's error has it in full
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

// maxHeader is the most bytes of the headers of an answer.
const maxHeader = 64 << 10

// HTTP returns a client that follows no redirection, since what it sends is for one host alone, and
// that uses the proxy which the environment names.
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

// proxy is find, which chooses a proxy for a request, with errors that are fit to be shown: those
// of net/http have the proxy's address in them, and so a password that stands there.
func proxy(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		proxy, err := find(r)
		if err != nil {
			return nil, errors.New("the proxy that the environment names has no address that can be read")
		}
		return proxy, nil
	}
}
