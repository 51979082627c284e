package ct

import (
	"math/rand/v2"
	"testing"
)

// words holds values for which a comparison by borrow or by sign could give a wrong result.
var words = []uint64{
	0, 1, 2, 3, 0xff, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1,
	1<<63 - 2, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 3, 1<<64 - 2, 1<<64 - 1,
	0xaaaaaaaaaaaaaaaa, 0x5555555555555555,
}

func choice(b bool) Choice {
	if b {
		return 1
	}
	return 0
}

func TestChoice(t *testing.T) {
	for _, tt := range []struct {
		c, not Choice
		mask   uint64
		b      bool
	}{{0, 1, 0, false}, {1, 0, 1<<64 - 1, true}} {
		if tt.c.Mask() != tt.mask || tt.c.Not() != tt.not ||
			tt.c.Bool() != tt.b || tt.c.Reveal() != tt.b {
			t.Errorf("Choice(%d): mask %x, not %d, bool %v", tt.c, tt.c.Mask(), tt.c.Not(), tt.c.Bool())
		}
	}
}

func TestCompare(t *testing.T) {
	check := func(a, b uint64) {
		t.Helper()
		if got, want := IsZero64(a), choice(a == 0); got != want {
			t.Errorf("IsZero64(%#x) = %d", a, got)
		}
		if got, want := IsZero64(a^b), choice(a == b); got != want {
			t.Errorf("IsZero64(%#x ^ %#x) = %d", a, b, got)
		}
	}
	for _, a := range words {
		for _, b := range words {
			check(a, b)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		a, b := r.Uint64()>>(r.Uint64()%64), r.Uint64()>>(r.Uint64()%64)
		check(a, b)
		check(a, a)
	}
}

// TestMarksKeepValues checks, in every build, that marking memory as secret or public does not
// change it, and that empty slices may be marked.
func TestMarksKeepValues(t *testing.T) {
	w := [4]uint64{1, 2, 3, 4}
	Classify(&w[0], 4)
	Declassify(&w[0], 4)
	b := []byte{5, 6, 7}
	ClassifyBytes(b)
	DeclassifyBytes(b)
	ClassifyBytes(nil)
	DeclassifyBytes(nil)
	if w != [4]uint64{1, 2, 3, 4} || b[0] != 5 || b[1] != 6 || b[2] != 7 {
		t.Errorf("marking changed %v or %v", w, b)
	}
}

func TestWipe(t *testing.T) {
	b := []byte{1, 2, 3, 4}
	Wipe(b[1:3])
	Wipe[byte](nil)
	w := [3]uint64{1, 2, 3}
	Wipe(w[1:])
	if w != [3]uint64{1} {
		t.Errorf("what is left is %x", w)
	}
	if string(b) != "\x01\x00\x00\x04" {
		t.Errorf("what is left is %x", b)
	}
}

func TestMarksAllocateNothing(t *testing.T) {
	var w [4]uint64
	b := make([]byte, 32)
	if n := testing.AllocsPerRun(100, func() {
		Classify(&w[0], 4)
		Declassify(&w[0], 4)
		ClassifyBytes(b)
		DeclassifyBytes(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
