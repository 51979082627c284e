// Package estimate tells from what kernels carry out, counted by the interpreter of package ptx,
// how fast a GPU can be at best. It is a model, and no measurement:
//
//   - The four schedulers of a multiprocessor issue one instruction a clock each, for 32 work
//     items.
//   - Products of 32 bits go through one pipe. One whose both halves are wanted (IMAD.WIDE) takes
//     twice as long as one of which the lower half is. The assembler fuses pairs of mad.lo and
//     mad.hi on the same factors, which is how this library's products are written: so each high
//     half is a wide product that has its low half with it. A product of 64 bits is one wide
//     product and two others.
//   - Everything else that computes goes through a second pipe, and instructions on 64 bits are
//     two.
//   - Loads and stores hit the first cache, which delivers 128 bytes a clock.
//   - Moves, conversions and parameters cost nothing: the assembler has registers for them.
//
// Instructions are those that are issued to whole warps: what one work item computes while others
// wait costs as much as if all of its warp did. The slowest of these is what the estimate takes.
// Latency, misses of caches and the tail of a launch are not in it; a kernel that comes to two
// thirds is a good one.
package estimate

import "github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"

// A GPU is what the model knows of one. Rates are those of one multiprocessor, in work items a
// clock.
type GPU struct {
	Name            string
	Multiprocessors int
	MHz             int
	Issue           float64 // instructions
	Wide            float64 // products whose both halves are wanted
	Low             float64 // products of which the lower half is wanted
	Integer         float64 // other instructions
	Bytes           float64 // loaded and stored
}

// H200 is NVIDIA's H200 SXM at its highest clock. The rates are those of compute capability 9.0
// (CUDA C++ Programming Guide, throughput of native arithmetic instructions), but for that of wide
// products, which NVIDIA does not tell.
var H200 = GPU{"H200", 132, 1980, 128, 32, 64, 64, 128}

// An Estimate is what the model says of one row, in clocks of one multiprocessor.
type Estimate struct {
	Products, Integer, Memory, Issue float64

	Clocks float64 // the greatest of them
	Rate   float64 // million rows a second of the whole GPU
}

// Estimate returns what the model says of kernels that have carried out c for so many rows.
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
