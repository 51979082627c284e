package peer

import (
	"strings"
	"testing"
)

const rustSources = "../../rust"

// TestNames checks that Open opens the peers that are named.
func TestNames(t *testing.T) {
	in := NewInputs(0, 0)
	peers, err := Open(in, Config{Only: []string{"dcrec"}, Require: []string{"btcec"}})
	if err != nil {
		t.Fatal(err)
	}
	if last := peers[len(peers)-2:]; last[0].Name != "dcrec" || last[1].Name != "btcec" {
		t.Errorf("opened %s and %s", last[0].Name, last[1].Name)
	}
}

// TestLevels checks that Levels has a peer for every implementation slower than the one that the
// CPU selects. Afterwards this selection must be in use again.
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
	if strings.Contains(before, ",") && len(peers) < 3 {
		t.Errorf("%s, and nothing forced", before)
	}
}

// TestForced checks that Check runs a peer's code between its Restrict and the function that
// Restrict returns.
func TestForced(t *testing.T) {
	in := NewInputs(0, 0)
	level := ""
	p := &Peer{Name: "x", Restrict: func() func() { level = "forced"; return func() { level = "" } },
		Drivers: map[string]Driver{"keygen": {Out: func(int) []byte { return []byte(level) }}}}
	out := func(int) []byte { return []byte("forced") }
	ours := &Peer{Drivers: map[string]Driver{"keygen": {Out: out}}}
	if err := Check(in, ours, p, func(string) bool { return true }, nil); err != nil || level != "" {
		t.Errorf("%v, left in %q", err, level)
	}
}

// TestCheck checks that Check returns an error if a peer's result differs from koblitz's or has no
// counterpart, and that it ignores operations that are not measured.
func TestCheck(t *testing.T) {
	in := NewInputs(0, 0)
	out := func(b ...byte) func(int) []byte { return func(int) []byte { return b } }
	ours := &Peer{Drivers: map[string]Driver{
		"keygen": {Out: out(1)}, "ecdsa-verify": {Out: out(verdict(false)...)},
	}}
	all := func(string) bool { return true }
	for _, c := range []struct {
		what, op string
		driver   Driver
		want     string
	}{
		{"the same result", "keygen", Driver{Out: out(1)}, ""},
		{"another result", "keygen", Driver{Out: out(2)}, "keygen, row 0: 02, want 01"},
		{"no result", "keygen", Driver{Out: out()}, "want 01"},
		{"a driver without results", "keygen", Driver{}, "no result to check"},
		{"what we do not have", "parse", Driver{Out: out(1)}, "nothing to compare"},
		{"a signature that is not valid for us", "ecdsa-verify",
			Driver{Out: out(verdict(true)...)}, "nothing to compare"},
		{"an unknown operation", "keygem", Driver{Out: out(1)}, "unknown operation"},
	} {
		err := Check(in, ours, &Peer{Name: "x", Drivers: map[string]Driver{c.op: c.driver}}, all, nil)
		if c.want == "" && err != nil ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q in it", c.what, err, c.want)
		}
		parse := &Peer{Drivers: map[string]Driver{"parse": c.driver}}
		err = Check(in, ours, parse, func(op string) bool { return op != "parse" }, nil)
		if err != nil {
			t.Errorf("%s, in what is not measured: %v", c.what, err)
		}
	}
}

// TestPanic checks that a panic of a peer leaves it out of the operation.
func TestPanic(t *testing.T) {
	in := NewInputs(0, 0)
	p := &Peer{Name: "x", Drivers: map[string]Driver{
		"keygen": {Out: func(int) []byte { panic("planted") }},
	}}
	left := ""
	err := Check(in, &Peer{}, p, func(string) bool { return true }, func(op string, reason error) {
		left += op + ": " + reason.Error()
	})
	if _, has := p.Drivers["keygen"]; err != nil || has || left != "keygen: it panicked: planted" {
		t.Errorf("%v, left out: %q, %v", err, left, has)
	}
}

// TestNoCompiler checks the errors when PATH is empty, so that neither a C compiler nor cargo can
// be run.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CC", "")
	if _, err := buildLibrary(rustSources); err == nil || err.Error() != "no C compiler" {
		t.Errorf("libsecp256k1 without a compiler: %v", err)
	}
	_, err := NewRust(NewInputs(0, 0), rustSources)
	if err == nil || !strings.Contains(err.Error(), "no cargo") {
		t.Errorf("Rust without cargo: %v", err)
	}
}
