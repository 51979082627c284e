package remote

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	schemes := [2]string{"wss", "ws"}
	for _, c := range []struct{ address, name, err string }{
		{"wss://relay.example:7/path?key=SECRET", "wss://relay.example:7", ""},
		{"ws://127.0.0.1", "ws://127.0.0.1", ""},
		{"http://host", "", "an URL begins with wss:// or ws://"},
		{"", "", "the address has no scheme: put wss:// or ws:// before it"},
		{"127.0.0.1:8332", "", "the address has no scheme: put wss:// or ws:// before it"},
		{"localhost:8332/SECRET", "", "the address has no scheme: put wss:// or ws:// before it"},
		{"name:SECRET@host:8332", "", "the address has no scheme: put wss:// or ws:// before it"},
		{"127.0.0.1:8332/?to=ws://host", "", "no URL"},
		{"ws:///SECRET", "", "no host in the URL"},
		{"ws://name:SECRET@host", "", "other users see them; hint"},
		{"ws://ho st/SECRET", "", "no URL"},
		{"ws://[SECRET", "", "no URL"},
	} {
		switch a, err := Parse(c.address, schemes, "; hint"); {
		case c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err) || a != Address{}):
			t.Errorf("%q: %v, %v", c.address, a, err)
		case c.err != "" && strings.Contains(err.Error(), "SECRET"):
			t.Errorf("%q: the error has what nobody may see: %v", c.address, err)
		case c.err == "" && (err != nil || a != Address{c.name, c.address}):
			t.Errorf("%q: %v, %v", c.address, a, err)
		}
	}
}
