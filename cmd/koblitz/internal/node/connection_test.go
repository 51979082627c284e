package node

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for _, c := range []struct{ address, name, err string }{
		{"https://node.example:7/path?key=SECRET", "https://node.example:7", ""},
		{"http://127.0.0.1", "http://127.0.0.1", ""},
		{"ws://host", "", "an URL begins with http:// or https://"},
		{"", "", "an URL begins with http:// or https://"},
		{"127.0.0.1:8332", "", "an URL begins with http:// or https://"},
		{"localhost:8332/SECRET", "", "an URL begins with http:// or https://"},
		{"name:SECRET@host:8332", "", "an URL begins with http:// or https://"},
		{"127.0.0.1:8332/?to=http://host", "", "an URL begins with http:// or https://"},
		{"http:///SECRET", "", "no URL with a host"},
		{"http://name:SECRET@host", "", "other users see them; put them in a file for --rpc-auth"},
		{"http://ho st/SECRET", "", "no URL with a host"},
		{"http://[SECRET", "", "no URL with a host"},
	} {
		switch name, err := parseAddress(c.address); {
		case c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err) || name != ""):
			t.Errorf("%q: %q, %v", c.address, name, err)
		case c.err != "" && strings.Contains(err.Error(), "SECRET"):
			t.Errorf("%q: the error has what nobody may see: %v", c.address, err)
		case c.err == "" && (err != nil || name != c.name):
			t.Errorf("%q: %q, %v", c.address, name, err)
		}
	}
}

func TestShown(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("a\x1b[2J\nb"), `a\x1b[2J\nb`},
		{errors.New(long), long[:200] + "…"},
		{errors.New(long[:199] + "é"), long[:199] + `\xc3…`},
		{errors.New(long[:200]), long[:200]},
		{fmt.Errorf("failed to get %w", &url.Error{Op: "Get", URL: "http://x/SECRET",
			Err: errors.New("refused")}), "refused"},
	} {
		if got := shown(c.err); got.Error() != c.want {
			t.Errorf("%q: %q, want %q", c.err, got, c.want)
		}
	}
}

// TestProxy checks that the client uses the proxy that find chooses, and that an error does not
// contain the proxy's address.
func TestProxy(t *testing.T) {
	want := &url.URL{Host: "proxy"}
	for _, fails := range []error{nil, errors.New(`invalid proxy address "http://me:secret@host:x"`)} {
		find := func(*http.Request) (*url.URL, error) { return want, fails }
		got, err := newHTTP(find).Transport.(*http.Transport).Proxy(nil)
		switch {
		case fails == nil && (err != nil || got != want):
			t.Errorf("%v, %v", got, err)
		case fails != nil && (err == nil || got != nil || strings.Contains(err.Error(), "secret")):
			t.Errorf("%v, %v", got, err)
		}
	}
}
