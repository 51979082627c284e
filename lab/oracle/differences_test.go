package oracle

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

// TestDifferences compares where the replacement is meant to differ, as the documentation of
// compat/impl/secp256k1 and compat/impl/ecdsa says. Where a case says nothing, it does not
// apply to its tape.
func TestDifferences(t *testing.T) {
	for _, d := range []struct {
		name        string
		count, most int
		ours        string // always
		theirs      string // sometimes
	}{
		// Keys that are no points verify nothing, and their multiples are none of their curves.
		{"offCurve", 1000, 250, "false false ", "true "},
		// Points of two curves are not the same.
		{"sameX", 3000, 250, "false ", "true "},
		// Keys are made of numbers that need not be normalized.
		{"roughKey", 1000, 80, "true ", "false "},
		// The square root may overwrite what it is the root of.
		{"rootInPlace", 1000, 40, "true true ", "false "},
		// A session that has signed leaves no secret nonces in the memory that it had them from.
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

// TestSignNothing signs a hash that is 0 with the key 0, which the real module would never
// finish.
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
