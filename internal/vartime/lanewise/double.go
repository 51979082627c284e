package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// This file computes a·G + b·P with digits that have the same positions in all lanes. The digits of
// a are odd: see laneTerm. The digits of b are elements of ℤ[ω]. Each serves both halves of b: see
// package eisenstein.

// A digit of a has laneBaseWindow bits. The table of G is one of wNAF digits with BaseWindow bits,
// which allows odd digits with one bit less: see laneTerm. A half of a has laneBaseWindows digits.
const (
	laneBaseWindow  = vartime.BaseWindow - 1
	laneBaseWindows = (lanes.MinSplitBits + laneBaseWindow - 1) / laneBaseWindow
)

// laneDigit is the number of bits of a digit of b.
const laneDigit = 3

// DoubleScalarMult sets r[i] = a[i]·G + b[i]·p[i]. It is exact for all scalars and all points of
// the curve. If p[i] is not on the curve, r[i] is undefined.
func (w *Lanes) DoubleScalarMult(r []point.Jacobian, a, b []scalar.Scalar, p []point.Affine) {
	w.makeTables(p)
	for g := range lanes.Groups(len(r)) {
		r, p := lanes.Group(r, g), lanes.Group(p, g)
		a, b := lanes.Group(a, g), lanes.Group(b, g)
		w.finish(r, w.sum(g, a, b),
			func(j int) { vartime.DoubleScalarMult(&r[j], &a[j], &b[j], &p[j]) })
	}
}

// sum returns the sums of group g for the method finish. makeTables must have computed the group's
// tables. A lane has Z ≡ 0 if its sum met an equal or opposite addend, or is infinity.
func (w *Lanes) sum(g int, a, b []scalar.Scalar) *lanes.Jacobian {
	generator := vartime.GeneratorTable()
	var base laneTerm
	base.set(a, &generator)
	base.prefetch()
	w.readDigits(b)
	table := w.table(g)

	m := w.memory
	at := guardTop       // the position of the last added digits
	begun := w.begin(at) // the lanes that hold a sum
	for i, k := laneBaseWindows-1, len(w.digits)-1; i >= 0 || k >= 0; {
		next := max(i*laneBaseWindow, k*laneDigit)
		if begun.Any() && at > next {
			m.Acc.DoubleN(&m.Acc, at-next)
		}
		at = next
		if i*laneBaseWindow == next {
			base.lookup(&m.Q, 0, i)
			m.Add(lanes.All(), &begun)
			base.lookup(&m.Q, 1, i)
			m.Q.X.Mul(&m.Q.X, &w.beta)
			m.Add(lanes.All(), &begun)
			i--
		}
		if k*laneDigit == next {
			if some := w.digits[k].Load(&m.Q, table); some.Any() {
				m.Add(some, &begun)
			}
			k--
		}
	}
	return &m.Acc
}

// readDigits sets w.digits to the digits of b. Lanes without a scalar get zeros.
func (w *Lanes) readDigits(b []scalar.Scalar) {
	for j := 0; j < lanes.Width; j += 2 {
		var terms [2]eisenstein.Term
		for t := range terms {
			if j+t < len(b) {
				k1, k2 := b[j+t].Split()
				terms[t][0] = eisenstein.NewHalf(k1.Lo, k1.Hi, uint64(k1.Neg))
				terms[t][1] = eisenstein.NewHalf(k2.Lo, k2.Hi, uint64(k2.Neg))
			}
		}
		eisenstein.ReadPair(w.digits[:], &terms, j)
	}
}
