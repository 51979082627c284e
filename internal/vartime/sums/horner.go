package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// This file holds the last step of Pippenger's algorithm: Horner's scheme over powers of two.

// horner sets r to the sum of 2^i·sums[k][i] over all k and i.
func horner(r *point.Jacobian, sums []positionSums) {
	if lanes.Available() && hornerLanes(r, sums) {
		return
	}
	hornerSingle(r, sums)
}

// hornerSingle does the work of horner with one addition at a time.
func hornerSingle(r *point.Jacobian, sums []positionSums) {
	var acc point.Jacobian
	acc.SetInfinity()
	doublings := 0
	for i := sumPositions - 1; i >= 0; i-- {
		doublings++
		for j := range sums {
			q := &sums[j][i]
			if *q == (point.Affine{}) {
				continue
			}
			if doublings > 0 {
				acc.DoubleN(&acc, doublings)
				doublings = 0
			}
			acc.AddMixedVartime(&acc, q)
		}
	}
	if doublings > 0 {
		acc.DoubleN(&acc, doublings)
	}
	r.Set(&acc)
}

// hornerLanes does the work of horner with the positions cut into eight parts, one for each lane.
// At the end it doubles the sum of each lane as often as the lane's first position requires, and
// adds the sums. The mixed addition in lanes is incomplete: if the sum of a lane meets an equal or
// opposite addend, hornerLanes returns false.
func hornerLanes(r *point.Jacobian, sums []positionSums) bool {
	var m vartime.LaneSum
	begun := lanes.None()
	for i := lanePositions - 1; i >= 0; i-- {
		if begun.Any() {
			m.Acc.DoubleN(&m.Acc, 1)
		}
		for k := range sums {
			var points lanes.Packed
			here := lanes.None()
			for j := range points {
				if p := &sums[k][lanePositions*j+i]; *p != (point.Affine{}) {
					lanes.SetPoint(&points[j], &p.X, &p.Y)
					here.Put(j, 1)
				}
			}
			if here.Any() {
				m.Q.Unpack(&points)
				m.Add(here, &begun)
			}
		}
	}
	if m.Acc.IsInfinity().And(begun).Any() {
		return false
	}
	var parts [lanes.Width]point.Jacobian
	vartime.SetPoints(parts[:], &m.Acc)
	var total point.Jacobian
	total.SetInfinity()
	for j := lanes.Width - 1; j >= 0; j-- {
		if !total.IsInfinity().Bool() {
			total.DoubleN(&total, lanePositions)
		}
		if begun.Has(j) {
			total.AddVartime(&total, &parts[j])
		}
	}
	r.Set(&total)
	return true
}

// collect copies the points in the worker's first buckets, one bucket for each power of two in the
// sum, to dst. It skips empty buckets.
func (w *worker) collect(dst *positionSums) {
	for i := range sumPositions {
		if r := w.buckets[i]; r != 0 {
			p := w.rows[r>>rowShift]
			if r&1 != 0 {
				p.Y.Neg(&p.Y)
			}
			dst[i] = p
		}
	}
}
