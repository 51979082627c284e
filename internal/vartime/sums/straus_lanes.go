package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// This file holds Straus' algorithm with a separate sum in each of eight lanes. docs/msm.md, "In
// lanes", describes it.

// A strausGroup is up to eight terms that share eight lanes. If there are at most four terms, each
// term has several lanes, called its parts: part q adds the digits i with i mod parts = q, from a
// table of 2^(width·q)·P. So a group of few terms takes few additions, and hardly more doublings
// than a group of many.
type strausGroup struct {
	first, count int // number of the first term, and number of terms
	parts        int // number of lanes for each term, a power of two
	width        int // bits of a digit
	step         int // number of bits between two digits of a lane
	digits       []eisenstein.DigitVector
	tables       []lanes.Packed

	// These are used while the table is computed: its entries, each over its own denominator; the
	// ratio of each denominator to the previous one; and the last denominator.
	entries [eisenstein.MaxEntries]lanes.Affine
	ratios  [eisenstein.MaxEntries]lanes.Element
	z       lanes.Element
	others  lanes.Element // the product of the field z of all other groups
}

// strausLanes sets r to the sum of the terms by one chain of doublings, with a separate sum in
// every lane. The mixed addition in lanes is incomplete: if a lane's sum is equal or opposite to
// the point that is added to it, strausLanes returns false.
func (s *Sum) strausLanes(r *point.Jacobian) bool {
	groups := s.groupTerms()
	for i := range groups {
		s.readUnits(&groups[i])
		s.startTables(&groups[i])
	}
	if s.laneSum == nil {
		s.laneSum = new(vartime.LaneSum)
	}
	z := finishTables(groups, &s.laneSum.Q)

	acc := &s.laneSum.Acc
	*acc = lanes.Jacobian{}
	begun := lanes.None()
	doublings := 0 // to be made before the next addition
	for at := 3 * (eisenstein.MaxDigits - 1); at >= 0; at-- {
		doublings++
		for i := range groups {
			g := &groups[i]
			last := len(g.digits) - 1
			if last*g.step != at {
				continue
			}
			some := g.digits[last].Load(&s.laneSum.Q, g.tables)
			g.digits = g.digits[:last]
			if !some.Any() {
				continue
			}
			if begun.Any() && doublings > 0 {
				acc.DoubleN(acc, doublings)
			}
			doublings = 0
			s.laneSum.Add(some, &begun)
		}
	}
	if doublings > 0 {
		acc.DoubleN(acc, doublings)
	}
	acc.Z.Mul(&acc.Z, &z)
	return sumLanes(r, acc, begun)
}

// sumLanes sets r to the sum of the lanes of p in mask. It returns false if a lane in mask has Z ≡
// 0. It halves the number of lanes by additions in lanes, which are incomplete. If two addends were
// equal or opposite, it adds the lanes one by one instead.
func sumLanes(r *point.Jacobian, p *lanes.Jacobian, mask lanes.Mask) bool {
	if p.IsInfinity().And(mask).Any() {
		return false
	}
	sum, left := *p, mask
	n := lanes.Width
	for n > 2 {
		n /= 2
		var other, both lanes.Jacobian
		other.X.Rotate(&sum.X, n)
		other.Y.Rotate(&sum.Y, n)
		other.Z.Rotate(&sum.Z, n)
		here := left.Rotate(n)
		both.AddIncomplete(&sum, &other)
		other.Select(left, &sum, &other)
		sum.Select(left.And(here), &both, &other)
		left = left.Or(here)
	}
	if sum.IsInfinity().And(left).Any() {
		// Two addends were equal or opposite. Begin again, and add the lanes one by one.
		sum, left, n = *p, mask, lanes.Width
	}
	var parts [lanes.Width]point.Jacobian
	vartime.SetPoints(parts[:n], &sum)
	r.SetInfinity()
	for j := range parts[:n] {
		if left.Has(j) {
			r.AddVartime(r, &parts[j])
		}
	}
	return true
}

// groupTerms divides the terms into groups, full terms first, and gives each group memory for its
// digits and tables. A group that has only short terms is no special case: readUnits finds that its
// upper half has no digits.
func (s *Sum) groupTerms() []strausGroup {
	terms := s.full + s.short
	s.groups = resize(s.groups, lanes.Groups(terms))
	for i := range s.groups {
		g := &s.groups[i]
		g.first = i * lanes.Width
		g.count = min(terms-g.first, lanes.Width)
		g.parts, g.width = 1, 3
		for 2*g.parts*g.count <= lanes.Width {
			// With several lanes for each term there are fewer additions. Longer tables would then
			// cost more than they save.
			g.parts, g.width = 2*g.parts, 2
		}
		g.step = g.parts * g.width
		g.digits = resize(g.digits, (eisenstein.Count(g.width)+g.parts-1)/g.parts)
		g.tables = resize(g.tables, eisenstein.EntryParts*eisenstein.Entries(g.width))
	}
	return s.groups
}

// readUnits writes the digits of a group's terms to g.digits. It removes the last vectors if all
// their digits are 0.
func (s *Sum) readUnits(g *strausGroup) {
	for j := 0; j*g.parts < lanes.Width; j += 2 {
		var terms [2]eisenstein.Term
		for t := range terms {
			if j+t < g.count {
				for k, h := range s.halves[2*(g.first+j+t):][:2] {
					terms[t][k] = eisenstein.NewHalf(h[0], h[1], h[2])
				}
			}
		}
		if g.parts == 1 && g.width == 3 {
			eisenstein.ReadPair(g.digits, &terms, j)
			continue
		}
		for t := range terms {
			if first := (j + t) * g.parts; first < lanes.Width {
				eisenstein.Read(g.digits, &terms[t], first, g.parts, g.width)
			}
		}
	}
	for n := len(g.digits); n > 0 && g.digits[n-1].IsZero(); n-- {
		g.digits = g.digits[:n-1]
	}
}
