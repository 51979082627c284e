// Package estimate computes how fast a GPU can run kernels at best, from the instructions that they
// execute, counted by the interpreter of package ptx. It is a model, and no measurement:
//
//   - The four schedulers of a multiprocessor issue one instruction a clock each, for 32 work
//     items.
//   - Products of 32-bit numbers go through one pipe. A wide product (IMAD.WIDE), which gives both
//     halves, takes twice as long as one that gives the lower half. The assembler fuses pairs of
//     mad.lo and mad.hi on the same factors into a wide product, and this library's products are
//     written that way. So each high half counts as a wide product that includes its low half. A
//     product of 64-bit numbers counts as one wide product and two others.
//   - All other arithmetic goes through a second pipe. An instruction on 64 bits counts as two.
//   - Loads and stores hit the first cache, which delivers 128 bytes a clock.
//   - Moves, conversions and parameters cost nothing: the assembler uses registers for them.
//
// Instructions count as issued to whole warps: an instruction that one work item executes while the
// others wait costs as much as one that the whole warp executes. The estimate is the time of the
// slowest of these resources. It leaves out latency, cache misses and the end of a launch; a kernel
// that reaches two thirds of it is good.
package estimate

import "github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"

// A GPU holds the figures of a GPU that the model uses. Rates are for one multiprocessor: work
// items per clock.
type GPU struct {
	Name            string
	Multiprocessors int
	MHz             int
	Issue           float64 // instructions issued
	Wide            float64 // products of which both halves are computed
	Low             float64 // products of which the lower half is computed
	Integer         float64 // other arithmetic instructions
	Bytes           float64 // bytes loaded and stored
}

// H200 is NVIDIA's H200 SXM at its highest clock. The rates are those of compute capability 9.0
// (CUDA C++ Programming Guide, throughput of native arithmetic instructions). NVIDIA does not
// publish the rate of wide products.
var H200 = GPU{"H200", 132, 1980, 128, 32, 64, 64, 128}

// An Estimate is the result of the model for one row, in clocks of one multiprocessor.
type Estimate struct {
	Products, Integer, Memory, Issue float64

	Clocks float64 // greatest of the four times
	Rate   float64 // million rows per second on the whole GPU
}

// Estimate returns the estimate for kernels that have executed the instructions c for the given
// number of rows.
func (g *GPU) Estimate(c *ptx.Counts, rows int) (e Estimate) {
	n := func(class ptx.Class) float64 { return float64(c.Issued[class]) / float64(rows) }
	wide := n(ptx.MulWide) + n(ptx.MulHigh) + n(ptx.Mul64)
	low := max(0, n(ptx.MulLow)-n(ptx.MulHigh)) + 2*n(ptx.Mul64)
	integer := n(ptx.Integer) + 2*n(ptx.Integer64)
	others := n(ptx.Load) + n(ptx.Store) + n(ptx.Atomic) + n(ptx.Branch) + n(ptx.Barrier)
	e.Products = wide/g.Wide + low/g.Low
	e.Integer = integer / g.Integer
	e.Memory = float64(c.Global+c.Shared+c.Local) / float64(rows) / g.Bytes
	e.Issue = (wide + low + integer + others) / g.Issue
	e.Clocks = max(e.Products, e.Integer, e.Memory, e.Issue)
	e.Rate = float64(g.Multiprocessors) * float64(g.MHz) / e.Clocks
	return e
}
