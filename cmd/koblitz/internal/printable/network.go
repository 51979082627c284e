package printable

import (
	"errors"
	"net/http"
	"net/url"
)

// maxNetwork is the most bytes of an error of a connection that are shown.
const maxNetwork = 200

// Network is the error of a connection to a server, fit to be shown: without the address, which may
// have a key in it, and cut after 200 bytes, since it may have in it what the server has sent.
func Network(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	if len(text) > maxNetwork {
		text = text[:maxNetwork] + "…"
	}
	return errors.New(Text(text))
}

// Proxy is find, which chooses a proxy for a request, with errors that are fit to be shown: those
// of net/http have the proxy's address in them, and so a password that stands there.
func Proxy(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		proxy, err := find(r)
		if err != nil {
			return nil, errors.New("the proxy that the environment names has no address that can be read")
		}
		return proxy, nil
	}
}
