// Package remote parses the addresses of servers and creates HTTP clients for them. The servers are
// not trusted.
//
// The part of an address after the host may contain a key, as in the addresses of API providers.
// This package shows only the scheme and the host of an address.
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
	// Name is the scheme and the host of the address. It contains no secrets.
	Name string

	// URL is the whole address. It may contain a key.
	URL string
}

// Parse parses a URL that has a host and one of two schemes. A URL with a user name or password is
// an error. Parse appends hint to that error; hint can tell the user where to put them.
func Parse(address string, schemes [2]string, hint string) (Address, error) {
	u, err := url.Parse(address)
	switch {
	case !strings.Contains(address, "://"):
		return Address{}, fmt.Errorf("the address has no scheme: put %s:// or %s:// before it",
			schemes[0], schemes[1])
	case err != nil:
		return Address{}, errors.New("no URL") // the error of net/url contains the whole address
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

// maxHeader limits the headers of a response, in bytes.
const maxHeader = 64 << 10

// HTTP returns a client that uses the proxy named in the environment. It follows no redirects,
// because a request may contain a key that only the addressed host should get.
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

// proxy wraps find, which chooses the proxy for a request, so that its errors can be shown. The
// errors of net/http contain the proxy's address, which may contain a password.
func proxy(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		proxy, err := find(r)
		if err != nil {
			return nil, errors.New("the proxy that the environment names has no address that can be read")
		}
		return proxy, nil
	}
}
