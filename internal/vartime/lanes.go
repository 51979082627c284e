package vartime

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds code for vector lanes that packages lanewise and sums share.

// A LaneSum is the working memory for a sum in each lane. Allocate it separately, with new: on the
// heap, memory without pointers then begins at a cache line, while on the stack it does so only by
// chance. A vector that crosses a cache line is read and written in two parts, and doublings then
// take 18 % longer.
type LaneSum struct {
	Acc lanes.Jacobian
	Q   lanes.Affine   // a point to be added to Acc
	sum lanes.Jacobian // used in Add
}

// Add adds m.Q to m.Acc in the lanes of some, which must not be empty. Only the lanes in begun hold
// sums. In a lane of some that holds no sum, Add sets m.Acc to m.Q, and adds the lane to begun. It
// may overwrite m.Acc in all other lanes without a sum. As AddMixedIncomplete does, it sets Z ≡ 0
// in a lane whose sum is equal or opposite to the addend.
func (m *LaneSum) Add(some lanes.Mask, begun *lanes.Mask) {
	if *begun == lanes.All() && some == *begun {
		m.Acc.AddMixedIncomplete(&m.Acc, &m.Q)
		return
	}
	if begun.Any() {
		m.sum.AddMixedIncomplete(&m.Acc, &m.Q)
		m.Acc.Select(some, &m.sum, &m.Acc)
	}
	if first := some.AndNot(*begun); first.Any() {
		m.Acc.X.Select(first, &m.Q.X, &m.Acc.X)
		m.Acc.Y.Select(first, &m.Q.Y, &m.Acc.Y)
		m.sum.Z.One()
		m.Acc.Z.Select(first, &m.sum.Z, &m.Acc.Z)
		*begun = begun.Or(first)
	}
}

// SetPoints sets r[j] to the point in lane j of p. len(r) is at most lanes.Width.
func SetPoints(r []point.Jacobian, p *lanes.Jacobian) {
	var x, y, z [lanes.Width][4]uint64
	p.Limbs(&x, &y, &z)
	for j := range r {
		r[j].X.SetLimbs(x[j][0], x[j][1], x[j][2], x[j][3])
		r[j].Y.SetLimbs(y[j][0], y[j][1], y[j][2], y[j][3])
		r[j].Z.SetLimbs(z[j][0], z[j][1], z[j][2], z[j][3])
	}
}

// InvertLanes sets every lane of v to its inverse, and leaves zeros unchanged.
func InvertLanes(v *lanes.Element) {
	var limbs [lanes.Width][4]uint64
	var e, scratch [lanes.Width]field.Element
	v.Limbs(&limbs)
	for j, l := range limbs {
		e[j].SetLimbs(l[0], l[1], l[2], l[3])
	}
	field.BatchInvertVartime(e[:], scratch[:])
	for j := range e {
		l := &limbs[j]
		l[0], l[1], l[2], l[3] = e[j].Words()
	}
	v.SetLimbs(&limbs)
}
