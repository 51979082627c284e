// Package placetest checks that readers can resume at the places that their batches name.
package placetest

//ci:untested The tests of all readers run it.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Check checks that a reader resumes correctly. open returns a reader of the data. Check reads the
// data first from the beginning, and then from places that batches of the first reader name. It
// then does the same from a place that a batch of the second reader names. The reading.Units and
// the final error must be the same each time. Check repeats this with sources that return different
// numbers of bytes. It returns the number of places, so that the caller can check that there were
// enough.
func Check(t testing.TB, data []byte, open func(reading.Source) reading.Reader) (places int) {
	t.Helper()
	reads := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r },
		iotest.HalfReader,
		func(r io.Reader) io.Reader { return &pieces{r: r} },
	}
	tries := 4 // about as many places are tried, spread over the data: a reader may have thousands
	if os.Getenv("KOBLITZ_DEEP") != "" {
		tries = 12
	}
	for i, read := range reads {
		whole, at := Read(read(bytes.NewReader(data)), nil, open)
		step := max(1, len(at)/tries)
		for k := i % step; k < len(at); k += step {
			p, before := at[k], 0
			for hop := range 2 { // a place from the first reader, then one from the second
				before += p.Before
				from := bytes.NewReader(data[p.Place.Offset:])
				rest, next := Read(reads[(i+hop+1)%len(reads)](from), p.Place, open)
				if want := whole[before:]; !slices.Equal(rest, want) {
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

// A Found is a place, and the number of lines of Read's result that come before it.
type Found struct {
	Place  *reading.Place
	Before int
}

// Read reads src from start (nil, or a place that a batch of an earlier reader named), and returns
// a line for each reading.Unit and a last line for the error that ended reading. places holds the
// places that the batches named.
func Read(src io.Reader, start *reading.Place, open func(reading.Source) reading.Reader) (
	lines []string, places []Found) {
	r := open(reading.Source{Name: "f", Reader: src, From: start})
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			return append(lines, "error: "+err.Error()), places
		}
		place := b.Place()
		b.Expand(func(u *reading.Unit) { lines = append(lines, fmt.Sprintf("%+v", *u)) })
		if place != nil {
			places = append(places, Found{place, len(lines)})
		}
	}
}

// difference describes the first line in which got and want differ.
func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("unit %d is\n%.300s, not\n%.300s", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d units, not %d", len(got), len(want))
}

// pieces is an io.Reader that returns at most 1, 2, 3, … 999 bytes in successive calls.
type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	p.n = p.n%999 + 1
	return p.r.Read(b[:min(len(b), p.n)])
}
