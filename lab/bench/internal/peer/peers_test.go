package peer

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// require holds the names of peers without which the tests fail; CI sets it. If another peer is
// missing, its tests are skipped.
var require = flag.String("require", os.Getenv("BENCH_REQUIRE"),
	"peers without which the tests fail, separated by commas")

var errMissing = errors.New("a peer that is required is missing")

func openAll(t *testing.T) (ours *Peer, others []*Peer) {
	t.Helper()
	var required []string
	if *require != "" {
		required = strings.Split(*require, ",")
	}
	peers := openWith(t, sharedInputs, Config{Require: required})
	return peers[0], peers[1:]
}

// openWith opens the peers that c selects, until the end of the test.
func openWith(t *testing.T, in *Inputs, c Config) []*Peer {
	t.Helper()
	c.Rust = rustSources
	c.Absent = func(name string, reason error) { t.Logf("%s is left out: %v", name, reason) }
	peers, err := Open(in, c)
	if err != nil {
		t.Fatal(errMissing, err)
	}
	t.Cleanup(func() {
		for _, p := range peers {
			if p.Close != nil {
				p.Close()
			}
		}
	})
	for _, p := range peers {
		t.Logf("%s %s: %s", p.Name, p.Version, p.Note)
	}
	return peers
}

var sharedInputs = NewInputs(1024, 1024)

// TestDrivers checks that the results of all peers agree for the inputs of the timed operations.
func TestDrivers(t *testing.T) {
	ours, others := openAll(t)
	for _, p := range append(others, ours) {
		if err := Check(sharedInputs, ours, p, func(string) bool { return true }, nil); err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d operations", p.Name, len(p.Drivers))
	}
}

// TestScans checks that the wallet's payments are found and nothing else, in every row by koblitz
// and by libsecp256k1, and that the tweaks of found payments give the secrets of the outputs. The
// function Check compares only some of the rows.
func TestScans(t *testing.T) {
	in, c := sharedInputs, Config{Only: []string{"libsecp256k1"}}
	if slices.Contains(strings.Split(*require, ","), "libsecp256k1") {
		c.Require = c.Only
	}
	peers := openWith(t, in, c)
	ours := in.rowByRow(koblitzRows(in))
	for _, s := range scans {
		id := s.family + "-1024"
		outputs, plain, change := in.wallet.outputs(in.batch(s.family), s), 0, 0
		for i, output := range outputs {
			found := ours[id].Out(i)
			if d, ok := peers[len(peers)-1].Drivers[id]; ok && !bytes.Equal(d.Out(i), found) {
				t.Errorf("%s, row %d: %x by %s, %x by koblitz", s.family, i, d.Out(i),
					peers[len(peers)-1].Name, found)
			}
			if paid := s.paid && i%paidRows == 0; int(found[0]) != len(found)/65 ||
				paid != (found[0] == 1) {
				t.Fatalf("%s, row %d: %x", s.family, i, found)
			}
			if found[0] == 0 {
				continue
			}
			if found[33] == 1 {
				change++
			} else {
				plain++
			}
			secret := must(private(in.Secret[1]).TweakAdd(found[34:66]))
			if x := found[1:33]; !bytes.Equal(secret.XOnlyPublicKey().Bytes(), x) ||
				!bytes.Contains(output, x) {
				t.Errorf("%s, row %d: %x", s.family, i, found)
			}
		}
		// A receiver of koblitz always looks for change, which is paid only if s.label is true.
		if (plain > 0) != s.paid || (change > 0) != (s.paid && s.label) {
			t.Errorf("%s: %d payments to the spend key and %d of change", s.family, plain, change)
		}
	}
}
