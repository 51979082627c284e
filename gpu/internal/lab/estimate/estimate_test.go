package estimate

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

// TestEstimate checks that each resource can be the one that limits the speed, and that it then
// does so at the GPU's rate for it.
func TestEstimate(t *testing.T) {
	g := GPU{"test", 10, 1000, 128, 32, 64, 16, 256}
	for _, c := range []struct {
		name   string
		counts map[ptx.Class]uint64
		bytes  [3]uint64 // bytes in global, shared and local memory
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

var instruction = regexp.MustCompile(`"([a-z]+)[a-z.]*?(\.lo|\.hi|)[a-z.]*\.[bus]32 `)

// TestField checks how many instructions the multiplication and the squaring of field elements
// take: halves of products, and other arithmetic. It also checks the model's estimates for them.
// docs/lab/gpu.md cites these numbers.
func TestField(t *testing.T) {
	text, err := os.ReadFile("../../../kernels/ptx.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []struct {
		name           string
		low, high, add uint64
		want           float64 // thousand million operations per second
	}{
		{"fe_mul", 75, 73, 46, 113},
		{"fe_sqr", 47, 45, 57, 182},
	} {
		_, body, _ := strings.Cut(string(text), "DEVICE void "+op.name+"(")
		body, _, _ = strings.Cut(body, "\n}")
		c := new(ptx.Counts)
		for _, m := range instruction.FindAllStringSubmatch(body, -1) {
			switch {
			case m[1] == "mov":
			case m[2] == ".lo":
				c.Issued[ptx.MulLow]++
			case m[2] == ".hi":
				c.Issued[ptx.MulHigh]++
			default:
				c.Issued[ptx.Integer]++
			}
		}
		if c.Issued[ptx.MulLow] != op.low || c.Issued[ptx.MulHigh] != op.high ||
			c.Issued[ptx.Integer] != op.add {
			t.Errorf("%s: %v", op.name, c.Issued)
		}
		if rate := H200.Estimate(c, 1).Rate; math.Round(rate/1000) != op.want {
			t.Errorf("%s: %.0f million a second", op.name, rate)
		}
	}
}
