package estimate

import (
	"math"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/ptx"
)

// TestEstimate: each resource can be the one that counts, and is as fast as the GPU has it.
func TestEstimate(t *testing.T) {
	g := GPU{"test", 10, 1000, 128, 32, 64, 16, 256}
	for _, c := range []struct {
		name   string
		counts map[ptx.Class]uint64
		bytes  [3]uint64 // global, shared, local
		want   Estimate
	}{
		{"products of which both halves are wanted", map[ptx.Class]uint64{ptx.MulWide: 64}, [3]uint64{},
			Estimate{Products: 2, Issue: 0.5, Clocks: 2}},
		{"pairs", map[ptx.Class]uint64{ptx.MulLow: 64, ptx.MulHigh: 64}, [3]uint64{},
			Estimate{Products: 2, Issue: 0.5, Clocks: 2}},
		{"low halves", map[ptx.Class]uint64{ptx.MulLow: 192, ptx.MulHigh: 64}, [3]uint64{},
			Estimate{Products: 4, Issue: 1.5, Clocks: 4}},
		{"high halves", map[ptx.Class]uint64{ptx.MulHigh: 64}, [3]uint64{},
			Estimate{Products: 2, Issue: 0.5, Clocks: 2}},
		{"products of 64 bits", map[ptx.Class]uint64{ptx.Mul64: 64}, [3]uint64{},
			Estimate{Products: 4, Issue: 1.5, Clocks: 4}},
		{"integers", map[ptx.Class]uint64{ptx.Integer: 32, ptx.Integer64: 16}, [3]uint64{},
			Estimate{Integer: 4, Issue: 0.5, Clocks: 4}},
		{"memory", map[ptx.Class]uint64{ptx.Load: 64}, [3]uint64{256, 512, 1024},
			Estimate{Memory: 7, Issue: 0.5, Clocks: 7}},
		{"issue", map[ptx.Class]uint64{ptx.Branch: 64, ptx.Store: 32, ptx.Atomic: 16, ptx.Barrier: 16,
			ptx.Load: 128}, [3]uint64{}, Estimate{Issue: 2, Clocks: 2}},
		{"moves cost nothing", map[ptx.Class]uint64{ptx.Move: 1 << 20, ptx.Integer: 16}, [3]uint64{},
			Estimate{Integer: 1, Issue: 0.125, Clocks: 1}},
	} {
		const rows = 4
		counts := ptx.Counts{Global: rows * c.bytes[0], Shared: rows * c.bytes[1],
			Local: rows * c.bytes[2]}
		for class, n := range c.counts {
			counts.Issued[class] = rows * n
		}
		c.want.Rate = 10 * 1000 / c.want.Clocks
		if got := g.Estimate(&counts, rows); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestMultiply: a multiplication of field elements whose code has 71 wide products and six others
// comes to 113 thousand million a second.
func TestMultiply(t *testing.T) {
	c := new(ptx.Counts)
	c.Issued[ptx.MulWide], c.Issued[ptx.MulLow] = 71, 6
	if rate := H200.Estimate(c, 1).Rate; math.Round(rate/1000) != 113 {
		t.Errorf("%.0f million a second", rate)
	}
}
