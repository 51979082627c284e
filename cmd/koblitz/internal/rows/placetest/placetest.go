// Package placetest tests that a reader begins again where it says that it can.
package placetest

//ci:untested The tests of all readers run it.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// most is about how many places are tried: a reader that reads little at once has thousands.
func most() int {
	if os.Getenv("KOBLITZ_DEEP") != "" {
		return 12
	}
	return 3
}

// Check reads data with open from the beginning and again from places that its batches name, and
// wants the same units and the same end; and so from a place that a batch behind such a place
// names. It reads in several sizes of pieces. It returns how many places there were: the caller
// knows how many there have to be at least.
func Check(t testing.TB, data []byte, open func(rows.Source) rows.Reader) (places int) {
	t.Helper()
	reads := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r },
		iotest.HalfReader,
		func(r io.Reader) io.Reader { return &pieces{r: r} },
	}
	for i, read := range reads {
		whole, at := Read(read(bytes.NewReader(data)), nil, open)
		step := max(1, len(at)/most())
		for k := i % step; k < len(at); k += step {
			p, before := at[k], 0
			for hop := range 2 { // from a place in the first reader's batches, then in the second one's
				before += p.Before
				from := bytes.NewReader(data[p.Place.Offset:])
				rest, next := Read(reads[(i+hop+1)%len(reads)](from), p.Place, open)
				if want := whole[before:]; !equal(rest, want) {
					t.Fatalf("from the place at byte %d with %s:\n%s", p.Place.Offset, p.Place.Detail,
						difference(rest, want))
				}
				if len(next) == 0 {
					break
				}
				p = next[k%len(next)]
			}
		}
		places = max(places, len(at))
	}
	return places
}

// A Found is a place, and how many lines of what Read returned stand before it.
type Found struct {
	Place  *rows.Place
	Before int
}

// Read returns a line for each unit, a last one for the error with which reading ended, and the
// places that there were.
func Read(src io.Reader, from *rows.Place, open func(rows.Source) rows.Reader) (lines []string,
	places []Found) {
	r := open(rows.Source{Name: "f", Reader: src, From: from})
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			return append(lines, "error: "+err.Error()), places
		}
		place := rows.PlaceOf(b)
		b.Expand(func(u *rows.Unit) { lines = append(lines, fmt.Sprintf("%+v", *u)) })
		if place != nil {
			places = append(places, Found{place, len(lines)})
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// difference is the first line that is not the same.
func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("unit %d is\n%.300s, not\n%.300s", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d units, not %d", len(got), len(want))
}

// pieces reads 1, 2, 3, … 999 bytes at once.
type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	p.n = p.n%999 + 1
	return p.r.Read(b[:min(len(b), p.n)])
}
