package reading

import (
	"io"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestLimit checks that a buffer over the limit gives the budget's error and takes nothing from the
// budget.
func TestLimit(t *testing.T) {
	b := NewBudget(100, io.ErrShortBuffer)
	var kept []byte
	for _, c := range []struct {
		what string
		old  bool // whether the buffer replaces kept
		size int
		want error
		left int64
	}{
		{"a part", false, 60, nil, 40},
		{"too much", false, 41, io.ErrShortBuffer, 40},
		{"longer", true, 100, nil, 0},
		{"too long", true, 101, io.ErrShortBuffer, 0},
		{"shorter", true, 30, nil, 0},
	} {
		var old []byte
		if c.old {
			old = kept
		}
		got, err := b.Buffer(old, c.size)
		if err != c.want || b.left != c.left || err == nil && len(got) != c.size {
			t.Errorf("%s: %v, %d bytes, %d are left", c.what, err, len(got), b.left)
		}
		if err == nil {
			kept = got
		}
	}
}

// TestGuard checks that panics become errors and that errors are returned unchanged.
func TestGuard(t *testing.T) {
	for want, f := range map[string]func() error{
		"broken: first": func() error { panic("first\nsecond") },
		"EOF":           func() error { return io.EOF },
		"broken: EOF":   func() error { panic(io.EOF) },
	} {
		if err := Guard(f); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestGarbage switches the automatic garbage collector off and checks that the budget itself runs
// it in time, both for long buffers and for short ones.
func TestGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	for _, size := range []int{maxGarbage / 8, maxGarbage, 2 * maxGarbage} {
		for _, what := range []string{"new", "longer"} {
			a := NewBudget(1<<40, io.ErrShortBuffer)
			runtime.GC()
			most := uint64(0)
			for range 8 * maxGarbage / size {
				var buffer []byte
				var err error
				if what == "new" {
					buffer, err = a.Buffer(nil, size)
				} else {
					buffer, err = a.Buffer(make([]byte, 0, 1), size)
				}
				if err != nil || len(buffer) != size {
					t.Fatal(err)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			if limit := uint64(max(size, maxGarbage)) + 2<<20; most > limit {
				t.Errorf("%s buffers of %d bytes: %d bytes in use, want at most %d", what, size, most, limit)
			}
		}
	}
}
