//ct:unrun-portable for AVX-512, which the other build has

package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file multiplies a variable point with one point operation in the lanes of a vector.

// The windows for a variable base with package vector. A vector.Multiples has the odd multiples
// for digits of 4 bits.
const (
	parallelWindow  = 4
	parallelWindows = (129 + parallelWindow - 1) / parallelWindow
)

// parallelScratch holds the intermediate values of scalarMultParallel.
type parallelScratch struct {
	recoding
	base vector.Affine
	sum  vector.Point
}

// wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (s *parallelScratch) wipe() { *s = parallelScratch{} }

// scalarMultParallel does the work of ScalarMult with package vector. For each window, from the
// top, it multiplies the sum by 2^parallelWindow and adds the digits of both halves, as the method
// multiples.mult does. The formulas are complete, so no addition has an exceptional case, and k = 0
// gives infinity. p must be a point of secp256k1 itself: the formulas use the constant 7 of its
// equation.
func scalarMultParallel(r *point.Jacobian, k *scalar.Scalar, p *point.Affine) {
	//ct:secret k.IsOdd().Bool()
	var t vector.Multiples
	var s parallelScratch
	t.Set(s.base.Set(p))
	s.recode(k, parallelWindow*parallelWindows)
	s.sum.SetInfinity()
	doublings := 0
	for i := parallelWindows - 1; i >= 0; i-- {
		const w = parallelWindow
		n1, i1 := oddDigit(window(&s.b1, uint(i)*w, w), w)
		n2, i2 := oddDigit(window(&s.b2, uint(i)*w, w), w)
		s.sum.DoubleAddMultiples(doublings, &t, i1, n1.Mask(), i2, n2.Mask())
		doublings = w
	}
	s.sum.Jacobian(r)
	s.wipe()
}
