package nostr

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// TestPlace checks that reading can resume after every batch: after empty lines, before and after a
// line that is too long, and in a file of white space.
func TestPlace(t *testing.T) {
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, "%s\n", strings.Repeat("x", i%300))
	}
	long := strings.Repeat("y", MaxLine+100<<10)
	for name, test := range map[string]struct {
		text   string
		places int
	}{
		"lines":          {lines.String(), 7},
		"no line end":    {lines.String() + "z", 8},
		"empty lines":    {strings.Repeat("\n", 1000), 3},
		"empty at first": {strings.Repeat("\n", 1000) + "x\n", 3},
		"long":           {lines.String() + long + "\n" + lines.String(), 14},
	} {
		if n := placetest.Check(t, []byte(test.text), NewReader); n < test.places {
			t.Errorf("%s: %d places, want at least %d", name, n, test.places)
		}
	}
}

// TestBadPlace checks that resuming at an invalid place returns an error.
func TestBadPlace(t *testing.T) {
	r := NewReader(reading.Source{Name: "f", Reader: strings.NewReader("x\n"),
		From: &reading.Place{Detail: []byte(`"line"`)}})
	if _, err := r.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Error(err)
	}
}
