package reading

import (
	"fmt"
	"strings"
	"testing"
)

// rowsUpTo returns a LineFormat whose lines have at most longest bytes, and give a unit each.
func rowsUpTo(longest int) LineFormat {
	return LineFormat{Name: "row", Empty: "empty", Longest: longest, Batch: 100,
		Parser: func(emit func(*Unit)) func([]byte, Where) {
			return func(_ []byte, where Where) { emit(&Unit{Where: where}) }
		}}
}

// TestBorder checks that the maximum length of a line, not counting a line end, is the same for a
// line with a line end and for the last line of a file, which has none. A line that is longer gives
// one unit, whatever its length, and the lines around it are read.
func TestBorder(t *testing.T) {
	const most = 1 << 20
	for end, last := range map[string]string{"": "", "\n": "", "\nx": "5;", "\n\nx\n": "6;"} {
		for n, why := range map[int]string{most: "", most + 1: " the row is longer than 1 MiB",
			3*most + 5: " the row is longer than 1 MiB"} {
			long := strings.Repeat("x", n)
			r := NewLines(Source{Name: "f", Reader: strings.NewReader("a\n" + long + "\n\n" + long + end)},
				rowsUpTo(most))
			got, want := "", "1;2"+why+";4"+why+";"+last
			for b, err := r.Next(); err == nil; b, err = r.Next() {
				b.Expand(func(u *Unit) {
					got += strings.TrimSpace(fmt.Sprint(u.Where.Line, " ", u.Reason)) + ";"
				})
			}
			if got != want {
				t.Errorf("%d bytes and %q: %q, want %q", n, end, got, want)
			}
		}
	}
}

// TestShortLines checks that a batch of short lines takes little memory, even if much more text is
// in the buffer. A file of blank lines has very many batches.
func TestShortLines(t *testing.T) {
	text := strings.Repeat("\n", 1<<20)
	r := NewLines(Source{Name: "f", Reader: strings.NewReader(text)}, rowsUpTo(1<<20))
	for {
		b, err := r.Next()
		if err != nil {
			break
		}
		if b := b.(*lineBatch); cap(b.text) > 10*b.count {
			t.Fatalf("%d bytes for %d lines", cap(b.text), b.count)
		}
	}
}
