package bounded

import (
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestLimit checks that an allocation over the limit gives the allocator's error and takes nothing
// from the budget.
func TestLimit(t *testing.T) {
	a := New(100, io.ErrShortBuffer)
	var kept []byte
	for _, c := range []struct {
		what string
		do   func()
		want error
		left int64
	}{
		{"a part", func() { kept = a.Allocate(60) }, nil, 40},
		{"too much", func() { a.Allocate(41) }, io.ErrShortBuffer, 40},
		{"longer", func() { kept = a.Reallocate(100, kept) }, nil, 0},
		{"too long", func() { a.Reallocate(101, kept) }, io.ErrShortBuffer, 0},
		{"shorter", func() { kept = a.Reallocate(30, kept) }, nil, 70},
		{"no more", func() { a.Free(kept) }, nil, 100},
		{"all", func() { kept = a.Allocate(100) }, nil, 0},
	} {
		err := Guard(func() error {
			c.do()
			return nil
		})
		if !errors.Is(err, c.want) || a.left.Load() != c.left {
			t.Errorf("%s: %v, %d bytes are left", c.what, err, a.left.Load())
		}
	}
	if len(kept) != 100 {
		t.Errorf("%d bytes", len(kept))
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
	err := Guard(func() error { return errors.Join(nil, tooMuch{io.ErrShortBuffer}) })
	if !errors.Is(err, io.ErrShortBuffer) || !strings.Contains(err.Error(), "short buffer") {
		t.Errorf("%v: what a library made an error of", err)
	}
}

// TestGarbage switches the automatic garbage collector off and checks that the allocator itself
// runs it in time, both for long buffers and for short ones.
func TestGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	for _, size := range []int{maxGarbage / 8, maxGarbage, 2 * maxGarbage} {
		for _, what := range []string{"new", "longer"} {
			a := New(1<<40, io.ErrShortBuffer)
			runtime.GC()
			most := uint64(0)
			for range 8 * maxGarbage / size {
				if what == "new" {
					a.Allocate(size)
				} else {
					a.Reallocate(size, nil)
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
