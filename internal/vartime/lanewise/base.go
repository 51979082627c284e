package lanewise

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
		r, a := lanes.Group(r, g), lanes.Group(a, g)
		w.finish(r, w.sumBase(a, nil), func(j int) { vartime.ScalarBaseMult(&r[j], &a[j]) })
	}
}

// AddBaseMult sets every r[i] = p[i] + a[i]·G. It is exact for all scalars and points.
func (w *Lanes) AddBaseMult(r []point.Jacobian, a []scalar.Scalar, p []point.Affine) {
	for g := range lanes.Groups(len(r)) {
		r, a, p := lanes.Group(r, g), lanes.Group(a, g), lanes.Group(p, g)
		w.finish(r, w.sumBase(a, p), func(j int) {
			vartime.ScalarBaseMult(&r[j], &a[j])
			r[j].AddMixedVartime(&r[j], &p[j])
		})
	}
}

// sumBase returns a[j]·G + p[j] in lane j for the method finish, or a[j]·G if p is nil.
func (w *Lanes) sumBase(a []scalar.Scalar, p []point.Affine) *lanes.Jacobian {
	base := vartime.GeneratorSplitTable()
	var terms [1]laneTerm
	terms[0].set(a, &base)
	acc := w.sumSplit(terms[:])
	if p != nil {
		var points lanes.Packed
		for j := range p {
			lanes.SetPoint(&points[j], &p[j].X, &p[j].Y)
		}
		w.memory.Q.Unpack(&points)
		acc.AddMixedIncomplete(acc, &w.memory.Q)
	}
	return acc
}
