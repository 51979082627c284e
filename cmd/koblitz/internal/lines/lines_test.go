package lines

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// plain is a Format with one record per line.
type plain struct{ OneLine }

func (plain) Blank(b []byte) bool                  { return len(b) == 0 }
func (plain) Detail(int, bool) any                 { return nil }
func (plain) Reject(int, string, func(*rows.Unit)) {}
func (plain) Expand([]byte, int, func(*rows.Unit)) {}

// TestKeeps checks that a batch prevents at most four times its own size of memory from being
// freed, even if the buffer has grown for a later record.
func TestKeeps(t *testing.T) {
	const most = 1 << 20
	text := strings.Repeat("{}\n"+strings.Repeat("x", most+1)+"\n", 3)
	r := &Reader{Source: rows.Source{Name: "f", Reader: strings.NewReader(text)}, Format: plain{},
		Limits: Limits{Record: most, Batch: 100}, Empty: func() error { return errors.New("empty") }}
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
	r.Buf = nil
	if kept := int64(heap() - before); len(all) != 6 || kept > 1<<20 {
		t.Errorf("%d batches keep %d bytes", len(all), kept)
	}
	runtime.KeepAlive(all)
}

// TestBorder checks that the maximum length of a record, not counting a line end, is the same for a
// record with a line end and for the last record of a file, which has none.
func TestBorder(t *testing.T) {
	const most = 1 << 20
	for _, end := range []string{"", "\n", "\nx"} {
		for n, want := range map[int]string{most - 1: "", most: "the row is longer than 1 MiB"} {
			text := strings.Repeat("x", n) + end
			r := &Reader{Source: rows.Source{Name: "f", Reader: strings.NewReader(text)}, Format: plain{},
				Limits: Limits{Record: most, Name: "row", Batch: 100}}
			b, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if got := b.(*batch).refused; got != want {
				t.Errorf("%d bytes and %q: refused with %q, want %q", n, end, got, want)
			}
		}
	}
}
