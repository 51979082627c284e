package peer

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestScans checks that the wallet's payments are found and nothing else, in every row by koblitz
// and by libsecp256k1, and that the tweaks of found payments give the secrets of the outputs. The
// function Check compares only some of the rows.
func TestScans(t *testing.T) {
	in, name := NewInputs(0, 1024), "libsecp256k1"
	c := Config{Rust: rustSources, Only: []string{name}, Absent: func(name string, reason error) {
		t.Logf("%s is left out: %v", name, reason)
	}}
	if slices.Contains(strings.Split(os.Getenv("BENCH_REQUIRE"), ","), name) {
		c.Require = c.Only
	}
	peers, err := Open(in, c)
	if err != nil {
		t.Fatal(err)
	}
	last := peers[len(peers)-1] // libsecp256k1, or koblitz without batches
	ours := in.oneByOne()
	for _, s := range scans {
		id := s.family + "-1024"
		outputs, plain, change := in.wallet.outputs(in.batches[Different], s), 0, 0
		for i, output := range outputs {
			found := ours[id].Out(i)
			if theirs := last.Drivers[id].Out(i); !bytes.Equal(theirs, found) {
				t.Errorf("%s, row %d: %x by %s, %x by koblitz", s.family, i, theirs, last.Name, found)
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
			secret := must(in.rows[1].private.TweakAdd(found[34:66]))
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
