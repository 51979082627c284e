package oracle

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

// TestDifferences checks that the replacements differ from the real modules in the intended ways,
// which the documentation of compat/impl/secp256k1 and compat/impl/ecdsa lists. If a case writes
// nothing, its random input does not produce the situation in which the modules differ.
func TestDifferences(t *testing.T) {
	for _, d := range []struct {
		name        string
		count, most int
		ours        string // output of the replacement's program in all cases
		theirs      string // beginning of the real program's output in some cases
	}{
		// The replacement verifies no signature under a public key off the curve, and does not
		// multiply such a key on the curve that contains it.
		{"offCurve", 1000, 250, "false false ", "true "},
		// Erigon's curve gives another product of a point off the curve, which is on the curve.
		{"erigonOffCurve", 1000, 250, "true true ", "false true "},
		// The replacement does not take points of two curves with the same x coordinate for equal.
		{"sameX", 3000, 250, "false ", "true "},
		// The replacement makes the same public key from coordinates that are not normalized as
		// from the normalized ones.
		{"roughKey", 1000, 80, "true ", "false "},
		// In the replacement, the result of the square root may overwrite the argument.
		{"rootInPlace", 1000, 40, "true true ", "false "},
		// In the replacement, a session that signs overwrites the secret nonces that the caller
		// gave to it.
		{"givenNonces", 50, 250, "true " + strconv.Quote("secret nonce is blank") + " ", "false "},
	} {
		t.Run(d.name, func(t *testing.T) {
			w, err := startBoth()
			if err != nil {
				t.Fatal(err)
			}
			other := 0
			check := func(c subject.Case, theirs, ours string) error {
				if ours != d.ours && (ours != "" || theirs != "") {
					return fmt.Errorf("%x: %s\nwant %s", c.Tape, ours, d.ours)
				}
				if strings.HasPrefix(theirs, d.theirs) {
					other++
				}
				return nil
			}
			if err := w.each(d.count, tapes(d.name, d.most), check); err != nil {
				t.Error(err)
			}
			if other == 0 {
				t.Error("the real module never says", d.theirs)
			}
			if err := w.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSignNothing checks that the replacement returns a signature with r = s = 0 for the hash 0 and
// the key 0. The real module does not terminate for this input, so the test does not run it.
func TestSignNothing(t *testing.T) {
	w, err := start("ours")
	if err != nil {
		t.Fatal(err)
	}
	zero := fmt.Sprintf("x%064d ", 0)
	want := zero + zero + "x3006020100020100 true true " + fmt.Sprintf("x1f%0128d ", 0)
	for length := range 40 {
		got, err := w.run(subject.Case{Name: "signNothing", Tape: []byte{byte(length)}})
		if err != nil || got != want {
			t.Errorf("%d bytes: %v %s, want %s", length, err, got, want)
		}
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}
