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
		r, a := group(r, g), group(a, g)
		w.finish(r,
			func() *lanes.Jacobian { return w.sumBase(a) },
			func(j int) { vartime.ScalarBaseMult(&r[j], &a[j]) })
	}
}

// AddBaseMult sets every r[i] = p[i] + a[i]·G. It is exact for all scalars and points.
func (w *Lanes) AddBaseMult(r []point.Jacobian, a []scalar.Scalar, p []point.Affine) {
	for g := range lanes.Groups(len(r)) {
		r, a, p := group(r, g), group(a, g), group(p, g)
		w.finish(r,
			func() *lanes.Jacobian { return w.sumAddBase(a, p) },
			func(j int) {
				vartime.ScalarBaseMult(&r[j], &a[j])
				r[j].AddMixedVartime(&r[j], &p[j])
			})
	}
}

// sumAddBase returns p[j] + a[j]·G in lane j for the method finish.
func (w *Lanes) sumAddBase(a []scalar.Scalar, p []point.Affine) *lanes.Jacobian {
	acc := w.sumBase(a)
	var rows lanes.Packed
	for j := range p {
		lanes.SetRow(&rows[j], &p[j].X, &p[j].Y)
	}
	w.memory.Q.Unpack(&rows)
	acc.AddMixedIncomplete(acc, &w.memory.Q)
	return acc
}

// sumBase returns a[j]·G in lane j for the method finish.
func (w *Lanes) sumBase(a []scalar.Scalar) *lanes.Jacobian {
	base := vartime.GeneratorSplitTable()
	var terms [1]laneTerm
	terms[0].set(a, &base)
	return w.sumSplit(terms[:])
}
