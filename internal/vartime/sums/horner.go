package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds the end of a sum by buckets: Horner's scheme over the powers of two.

// horner sets r to the sum of 2^i·sums[k][i] over all k and i.
func horner(r *point.Jacobian, sums []positionSums) {
	if lanes.Available() && hornerLanes(r, sums) {
		return
	}
	hornerSingle(r, sums)
}

// hornerSingle is horner, one addition after the other.
func hornerSingle(r *point.Jacobian, sums []positionSums) {
	var acc point.Jacobian
	acc.SetInfinity()
	doublings := 0
	for i := sumPositions - 1; i >= 0; i-- {
		doublings++
		for j := range sums {
			q, ok := sums[j].point(i)
			if !ok {
				continue
			}
			if doublings > 0 {
				acc.DoubleN(&acc, doublings)
				doublings = 0
			}
			acc.AddMixedVartime(&acc, &q)
		}
	}
	if doublings > 0 {
		acc.DoubleN(&acc, doublings)
	}
	r.Set(&acc)
}

// hornerLanes is horner with the positions cut into eight parts, one for each lane. At the end
// the lanes' sums are doubled as often as they need and added. The mixed addition of lanes is
// incomplete: if a lane's sum meets itself or its opposite, hornerLanes returns false.
func hornerLanes(r *point.Jacobian, sums []positionSums) bool {
	var acc lanes.Jacobian
	begun := lanes.None()
	for i := lanePositions - 1; i >= 0; i-- {
		if begun.Any() {
			acc.DoubleN(&acc, 1)
		}
		for k := range sums {
			here, points := lanes.None(), &sums[k][i]
			for j := range points {
				if !empty(&points[j]) {
					here.Put(j, 1)
				}
			}
			if !here.Any() {
				continue
			}
			var a lanes.Affine
			a.Unpack((*[lanes.Width][lanes.RowWords]uint64)(points))
			var first, sum lanes.Jacobian
			if again := here.And(begun); again.Any() {
				sum.AddMixedIncomplete(&acc, &a)
				acc.Select(again, &sum, &acc)
			}
			if fresh := here.AndNot(begun); fresh.Any() {
				first.SetAffine(&a)
				acc.Select(fresh, &first, &acc)
			}
			begun = begun.Or(here)
		}
	}
	if acc.IsInfinity().And(begun).Any() {
		return false
	}
	var x, y, z [lanes.Width][4]uint64
	acc.Limbs(&x, &y, &z)
	var total point.Jacobian
	total.SetInfinity()
	for j := lanes.Width - 1; j >= 0; j-- {
		if !total.IsInfinity().Bool() {
			total.DoubleN(&total, lanePositions)
		}
		if begun.Has(j) {
			var part point.Jacobian
			setLimbs(&part, &x[j], &y[j], &z[j])
			total.AddVartime(&total, &part)
		}
	}
	r.Set(&total)
	return true
}

// setLimbs sets p to the point with the given coordinates: canonical limbs, least significant
// first.
func setLimbs(p *point.Jacobian, x, y, z *[4]uint64) {
	p.X.SetLimbs(x[0], x[1], x[2], x[3])
	p.Y.SetLimbs(y[0], y[1], y[2], y[3])
	p.Z.SetLimbs(z[0], z[1], z[2], z[3])
}

// collect sets sums to the points in the buckets of positions, without those of empty ones.
func (w *worker) collect(sums *positionSums) {
	for i := range sumPositions {
		if r := w.buckets[i]; r != 0 {
			p := w.rows[r>>rowShift]
			if r&1 != 0 {
				p.Y.Neg(&p.Y)
			}
			sums.set(i, &p)
		}
	}
}
