package contract

import "math/rand/v2"

// parallelOracles holds the oracles of the kernels of package vector.
var parallelOracles = map[string]oracle{
	"vector.doubleIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "")
	},
	"vector.doubleAddIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "addend")
	},
	"vector.doubleAddMultiplesIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "multiples")
	},
	"vector.doubleAddAffineIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return parallelCalls(r, n/4, "affine")
	},
	"vector.setAddendsIFMA": func(r *rand.Rand, n int, full bool) []*Call {
		return addendCalls(r, n/4)
	},
}
