package remote

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestProxy checks that the client uses the proxy that find chooses, and that an error does not
// contain the proxy's address.
func TestProxy(t *testing.T) {
	want := &url.URL{Host: "proxy"}
	for _, fails := range []error{nil, errors.New(`invalid proxy address "http://me:secret@host:x"`)} {
		got, err := proxy(func(*http.Request) (*url.URL, error) { return want, fails })(nil)
		switch {
		case fails == nil && (err != nil || got != want):
			t.Errorf("%v, %v", got, err)
		case fails != nil && (err == nil || got != nil || strings.Contains(err.Error(), "secret")):
			t.Errorf("%v, %v", got, err)
		}
	}
}
