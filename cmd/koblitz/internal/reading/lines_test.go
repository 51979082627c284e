package reading

import (
	"strings"
	"testing"
)

// rowsUpTo returns a LineFormat whose lines have at most longest bytes, and give no units.
func rowsUpTo(longest int) LineFormat {
	return LineFormat{Name: "row", Empty: "empty", Longest: longest, Batch: 100,
		Parser: func(func(*Unit)) func([]byte, Where) {
			return func([]byte, Where) {}
		}}
}

// TestBorder checks that the maximum length of a line, not counting a line end, is the same for a
// line with a line end and for the last line of a file, which has none.
func TestBorder(t *testing.T) {
	const most = 1 << 20
	for _, end := range []string{"", "\n", "\nx"} {
		for n, want := range map[int]string{most: "", most + 1: "the row is longer than 1 MiB"} {
			r := NewLines(Source{Name: "f", Reader: strings.NewReader(strings.Repeat("x", n) + end)},
				rowsUpTo(most))
			b, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			b.Expand(func(u *Unit) { got = u.Reason })
			if got != want {
				t.Errorf("%d bytes and %q: refused with %q, want %q", n, end, got, want)
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
