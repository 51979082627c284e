//ct:unrun-portable for AVX-512, which the other build has

package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/parallel"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// The windows for a variable base in package parallel. Its doublings cost less, in comparison to
// additions and to reads of the table, than those of package point. So windows of 4 bits are faster
// by 5 % than windows of 5 bits, whose table has 10 KiB.
const (
	parallelWindow  = 4
	parallelWindows = (129 + parallelWindow - 1) / parallelWindow
)

// parallelScratch holds the secret intermediate values of scalarMultParallel.
type parallelScratch struct {
	multScratch
	table   [1 << (parallelWindow - 1)][2]parallel.Addend
	addends [2]parallel.Addend
	sum     parallel.Point
}

// wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (s *parallelScratch) wipe() { *s = parallelScratch{} }

// scalarMultParallel does the work of ScalarMult with package parallel: for each window, from the
// top, it multiplies the sum by 2^parallelWindow and adds the digits of both halves. The formulas
// are complete, so no addition has an exceptional case.
func scalarMultParallel(r *point.Jacobian, k *scalar.Scalar, p *point.Affine) {
	//ct:leak k.IsOdd().Bool()
	const w = parallelWindow
	var s parallelScratch
	s.setTable(p)
	s.recode(k, w*parallelWindows)
	s.sum.SetInfinity()
	for i := parallelWindows - 1; i >= 0; i-- {
		negative1, index1 := oddDigit(window(&s.b1, uint(i)*w, w), w)
		negative2, index2 := oddDigit(window(&s.b2, uint(i)*w, w), w)
		parallel.ReadAddends(&s.addends, s.table[:], index1, index2)
		doublings := w
		if i == parallelWindows-1 {
			doublings = 0
		}
		s.sum.DoubleAdd(doublings, &s.addends[0], negative1.Mask())
		s.sum.DoubleAdd(0, &s.addends[1], negative2.Mask())
	}
	s.sum.Jacobian(r)
	s.wipe()
}

// setTable sets s.table[i][0] to (2i + 1)·p, and s.table[i][1] to λ times this point.
func (s *parallelScratch) setTable(p *point.Affine) {
	for i := range s.table {
		switch i {
		case 0:
			s.sum.SetAffine(new(parallel.Affine).Set(p))
		case 1:
			s.sum.Double(1)
			parallel.SetAddends(&s.addends, &s.sum)
			s.sum.DoubleAdd(0, &s.table[0][0], 0)
		default:
			s.sum.DoubleAdd(0, &s.addends[0], 0)
		}
		parallel.SetAddends(&s.table[i], &s.sum)
	}
}
