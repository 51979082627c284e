package machine

import (
	"slices"
	"testing"
)

// TestCore checks that Core's rate of additions is one that a core can have. A core does more than
// one addition in four cycles. If the compiler removed the additions, a step of eight would take
// one cycle, and the rate would be 8. No core does eight additions, an increment and a branch in
// one cycle.
func TestCore(t *testing.T) {
	var rates []float64
	for range 9 {
		_, adds := Core()
		rates = append(rates, adds)
	}
	slices.Sort(rates)
	if median := rates[4]; median < 0.25 || median > 7.5 {
		t.Errorf("%v additions per cycle", rates)
	}
}

// TestAdd checks that add does every addition.
func TestAdd(t *testing.T) {
	for _, n := range []int{0, 1, 2, 77} {
		for _, x := range []uint{0, 1, 0x81, 1 << 31} {
			want := uint(0)
			for i := range 8 {
				want ^= x>>i + uint(n)
			}
			if got := add(n, x); got != want {
				t.Errorf("add(%d, %#x) = %#x, want %#x", n, x, got, want)
			}
		}
	}
}
