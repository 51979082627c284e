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
		{"", "", "an URL begins with wss:// or ws://"},
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
