package peer

import (
	"os"
	"strings"
	"testing"
)

var rustSources = os.DirFS("../../rust")

// TestNames tests names that are no peers.
func TestNames(t *testing.T) {
	in := NewInputs(0, 0)
	for _, c := range []Config{{Only: []string{"dcrec", "openssl"}}, {Require: []string{"openssl"}}} {
		if _, err := Open(in, c); err == nil || !strings.Contains(err.Error(), `no peer "openssl"`) || !strings.Contains(err.Error(), strings.Join(Names, " ")) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, name := range []string{"dcrec", Koblitz, Koblitz + "/portable"} {
		if _, err := Open(in, Config{Others: map[string]string{name: "x.so"}}); err == nil || !strings.Contains(err.Error(), "another peer") {
			t.Errorf("a library called %s: %v", name, err)
		}
	}
	peers, err := Open(in, Config{Only: []string{"dcrec"}, Require: []string{"btcec"}})
	if err != nil {
		t.Fatal(err)
	}
	if last := peers[len(peers)-2:]; last[0].Name != "dcrec" || last[1].Name != "btcec" {
		t.Errorf("opened %s and %s", last[0].Name, last[1].Name)
	}
}

// TestLevels tests that every level below the machine's own is forced, and left again.
func TestLevels(t *testing.T) {
	in := NewInputs(0, 0)
	peers := Levels(in)
	before := peers[0].Note
	for _, p := range peers[1:] {
		leave := p.Enter()
		leave()
		if p.Note == before+", forced" {
			t.Errorf("%s is what the machine chooses", p.Name)
		}
		t.Logf("%s: %s", p.Name, p.Note)
	}
	if again := Levels(in)[0].Note; again != before {
		t.Errorf("afterwards the machine has %s, before %s", again, before)
	}
	if strings.Contains(before, ",") && len(peers) < 2 {
		t.Errorf("%s, and nothing forced", before)
	}
}

// TestForced tests that a forced level's drivers are checked, and its functions
// called, with that level in force.
func TestForced(t *testing.T) {
	in := NewInputs(0, 0)
	level := ""
	p := &Peer{Name: "x", Enter: func() func() { level = "forced"; return func() { level = "" } },
		Drivers:   map[string]Driver{"keygen": {Out: func(int) []byte { return []byte(level) }}},
		Functions: Functions{PublicKey: func([]byte) []byte { return []byte(level) }}}
	ours := &Peer{Drivers: map[string]Driver{"keygen": {Out: func(int) []byte { return []byte("forced") }}}}
	if err := Check(in, ours, p, func(string) bool { return true }); err != nil {
		t.Error(err)
	}
	f := p.Functions.within(p.Enter)
	if got := string(f.PublicKey(nil)); got != "forced" || level != "" {
		t.Errorf("called in %q, left in %q", got, level)
	}
	if f.Parse != nil {
		t.Error("a function that is not there has become one")
	}
}
