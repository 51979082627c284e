package blocks

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// ScalarBaseMult sets every r[i] = a[i]·G. It is exact for all scalars.
//
// The split wNAF table of G (vartime.SplitTable) has a separate subtable for every window of the
// lanes' odd digits, so no doublings are needed: 26 additions are enough, with a multiplication by
// λ between the two halves.
func (w *Lanes) ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar) {
	for g := range lanes.Groups(len(r)) {
		w.multiplyBase(group(r, g), group(a, g))
	}
}

// multiplyBase does the work of ScalarBaseMult for one group of at most eight rows, one in each
// lane.
func (w *Lanes) multiplyBase(r []point.Jacobian, a []scalar.Scalar) {
	setMultiples(r, w.sumBase(a), a)
}

// setMultiples sets r[j] to a[j]·G, where acc is the result of sumBase for the scalars a.
func setMultiples(r []point.Jacobian, acc *lanes.Jacobian, a []scalar.Scalar) {
	again := acc.Z.IsZero()
	vartime.SetPoints(r, acc)
	for j := range r {
		if again.Has(j) {
			// The sum in this lane met an equal or opposite addend, or the scalar is 0. Compute
			// this row again, without lanes.
			vartime.ScalarBaseMult(&r[j], &a[j])
		}
	}
}

// AddBaseMult sets every r[i] = p[i] + a[i]·G. It is exact for all scalars and points.
func (w *Lanes) AddBaseMult(r []point.Jacobian, a []scalar.Scalar, p []point.Affine) {
	for g := range lanes.Groups(len(r)) {
		w.addBase(group(r, g), group(a, g), group(p, g))
	}
}

// addBase does the work of AddBaseMult for one group of at most eight rows.
func (w *Lanes) addBase(r []point.Jacobian, a []scalar.Scalar, p []point.Affine) {
	var rows lanes.Packed
	for j := range p {
		lanes.SetRow(&rows[j], &p[j].X, &p[j].Y)
	}
	var sum lanes.Jacobian
	acc := w.sumBase(a)
	w.memory.Q.Unpack(&rows)
	sum.AddMixedIncomplete(acc, &w.memory.Q)
	vartime.SetPoints(r, &sum)
	again := sum.Z.IsZero().And(lanes.First(len(r)))
	if !again.Any() {
		return
	}
	// In these lanes a[j]·G is equal or opposite to p[j], or infinity, or met an exceptional case.
	var multiples [lanes.Width]point.Jacobian
	setMultiples(multiples[:len(r)], acc, a)
	for j := range r {
		if again.Has(j) {
			r[j].AddMixedVartime(&multiples[j], &p[j])
		}
	}
}

// sumBase returns a[j]·G in lane j for a group of scalars. As in sumSplit, a lane has Z ≡ 0 if its
// sum met an exceptional case, and the result is valid until the next call.
func (w *Lanes) sumBase(a []scalar.Scalar) *lanes.Jacobian {
	base := vartime.GeneratorSplitTable()
	var terms [1]laneSplit
	terms[0].set(&base, a)
	terms[0].setTables(base.Table())
	return w.sumSplit(terms[:])
}
