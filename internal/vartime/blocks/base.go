package blocks

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// ScalarBaseMult sets every r[i] = a[i]·G. It is exact for all scalars.
//
// The split table of G has a subtable for every window of odd digits that the lanes read, so there
// are no doublings: 26 additions, with a multiplication by λ between the two halves.
func (w *Lanes) ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar) {
	for g := range lanes.Groups(len(r)) {
		w.multiplyBase(group(r, g), group(a, g))
	}
}

// multiplyBase is ScalarBaseMult for a group.
func (w *Lanes) multiplyBase(r []point.Jacobian, a []scalar.Scalar) {
	acc := w.sumBase(a)
	again := acc.Z.IsZero()
	vartime.SetPoints(r, acc)
	for j := range r {
		if again.Has(j) {
			// Equal or opposite addends met, or the scalar is 0.
			vartime.ScalarBaseMult(&r[j], &a[j])
		}
	}
}

// sumBase returns the multiples of G by a group of scalars, as sumSplit does.
func (w *Lanes) sumBase(a []scalar.Scalar) *lanes.Jacobian {
	base := vartime.GeneratorSplitTable()
	var terms [1]laneSplit
	terms[0].set(&base, a)
	terms[0].setTables(base.Table())
	return w.sumSplit(terms[:])
}

// ScalarBaseMult is [Lanes.ScalarBaseMult] without lanes.
func ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar) {
	for i := range r {
		vartime.ScalarBaseMult(&r[i], &a[i])
	}
}
