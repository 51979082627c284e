package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// This file holds the last step of all methods except strausLanes: Horner's scheme over powers of
// two.

// addends holds refs by position, a linked list for each position. A position is the exponent of
// the power of two by which a point is multiplied.
type addends struct {
	heads [sumPositions]int32 // 1 + the index of the position's first addend, or 0 for none
	all   []addend
}

// An addend is an element of a list. next is 1 + the index of the list's next element, or 0 at the
// end.
type addend struct {
	point ref
	next  int32
}

// reset removes all refs from l, and makes room for n refs.
func (l *addends) reset(n int) {
	clear(l.heads[:])
	l.all = resize(l.all, n)[:0]
}

// add adds the ref r at a position.
func (l *addends) add(position int, r ref) {
	l.all = append(l.all, addend{r, l.heads[position]})
	l.heads[position] = int32(len(l.all))
}

// sum sets r to the sum of 2^i·P over all positions i and their points P, which are in rows.
func (l *addends) sum(r *point.Jacobian, rows []point.Affine) {
	var acc point.Jacobian
	acc.SetInfinity()
	doublings := 0
	for i := sumPositions - 1; i >= 0; i-- {
		doublings++
		for at := l.heads[i]; at != 0; at = l.all[at-1].next {
			if doublings > 0 {
				acc.DoubleN(&acc, doublings)
				doublings = 0
			}
			p := l.all[at-1].point
			q := rows[p>>rowShift]
			if p&1 != 0 {
				q.Y.Neg(&q.Y)
			}
			acc.AddMixedVartime(&acc, &q)
		}
	}
	if doublings > 0 {
		acc.DoubleN(&acc, doublings)
	}
	r.Set(&acc)
}

// horner sets r to the sum of the workers' sums by position.
func (s *Sum) horner(r *point.Jacobian) {
	if lanes.Available() && s.hornerLanes(r) {
		return
	}
	s.addends.reset(len(s.first) * sumPositions)
	for _, first := range s.first {
		for i, p := range s.rows[first:][:sumPositions] {
			if p != (point.Affine{}) {
				s.addends.add(i, ref(first+i)<<rowShift)
			}
		}
	}
	s.addends.sum(r, s.rows)
}

// hornerLanes does the work of horner with the positions cut into eight parts, one for each lane.
// At the end it doubles the sum of each lane as often as the lane's first position requires, and
// adds the sums. The mixed addition in lanes is incomplete: if the sum of a lane meets an equal or
// opposite addend, hornerLanes returns false.
func (s *Sum) hornerLanes(r *point.Jacobian) bool {
	var m vartime.LaneSum
	begun := lanes.None()
	for i := lanePositions - 1; i >= 0; i-- {
		if begun.Any() {
			m.Acc.DoubleN(&m.Acc, 1)
		}
		for _, first := range s.first {
			var points lanes.Packed
			here := lanes.None()
			for j := range points {
				if p := &s.rows[first+lanePositions*j+i]; *p != (point.Affine{}) {
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
