package lines

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// plain returns a Format whose lines have at most longest bytes, and give no units.
func plain(longest int) Format {
	return Format{Name: "row", Empty: "empty", Longest: longest, Batch: 100,
		Parser: func(func(*rows.Unit)) func([]byte, rows.Where) {
			return func([]byte, rows.Where) {}
		}}
}

// TestKeeps checks that a batch prevents at most four times its own size of memory from being
// freed, even if the buffer has grown for a later record.
func TestKeeps(t *testing.T) {
	const most = 1 << 20
	text := strings.Repeat("{}\n"+strings.Repeat("x", most+1)+"\n", 3)
	r := New(rows.Source{Name: "f", Reader: strings.NewReader(text)}, plain(most)).(*reader)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var all []rows.Batch
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	r.buf = nil
	if kept := int64(heap() - before); len(all) != 6 || kept > 1<<20 {
		t.Errorf("%d batches keep %d bytes", len(all), kept)
	}
	runtime.KeepAlive(all)
}

// TestBorder checks that the maximum length of a line, not counting a line end, is the same for a
// line with a line end and for the last line of a file, which has none.
func TestBorder(t *testing.T) {
	const most = 1 << 20
	for _, end := range []string{"", "\n", "\nx"} {
		for n, want := range map[int]string{most: "", most + 1: "the row is longer than 1 MiB"} {
			r := New(rows.Source{Name: "f", Reader: strings.NewReader(strings.Repeat("x", n) + end)},
				plain(most))
			b, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			b.Expand(func(u *rows.Unit) { got = u.Reason })
			if got != want {
				t.Errorf("%d bytes and %q: refused with %q, want %q", n, end, got, want)
			}
		}
	}
}
