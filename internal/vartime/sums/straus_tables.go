package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// This file computes the tables of Straus' algorithm in lanes, and brings them to one common
// denominator without an inversion. docs/msm.md, "In lanes", describes the method.

// startTables computes the entries of a group by additions of points with the same denominator
// (Meloni, WAIFI 2007), as [point.OddMultiples] does. The first two entries are P and 2·P.
func (s *Sum) startTables(g *strausGroup) {
	p := s.partsOf(g)
	var k lanes.CoZ
	k.SetDouble(&lanes.Affine{X: p.X, Y: p.Y})
	q, d := &k.Sum, &k.Addend
	g.entries[0], g.entries[1] = *d, *q
	g.z.Mul(&p.Z, &p.Y)
	g.z.Add(&g.z, &g.z)

	beta, square := lanes.Beta()
	steps := eisenstein.Steps()
	for i := 2; i < eisenstein.Entries(g.width); i++ {
		switch steps[i].Power {
		case 1:
			d.X.Mul(&d.X, &beta)
		case 2:
			d.X.Mul(&d.X, &square)
		}
		if steps[i].Negate {
			d.Y.Neg(&d.Y)
		}
		k.AddIncomplete(q, d)
		g.entries[i], g.ratios[i] = k.Sum, k.Ratio
		g.z.Mul(&g.z, &k.Ratio)
	}
}

// partsOf returns the points whose tables a group needs: 2^(width·q)·P for lane number q of a term.
// For a term that is not set it returns multiples of G, which no digit uses.
func (s *Sum) partsOf(g *strausGroup) (p lanes.Jacobian) {
	var points lanes.Packed
	for j := range points {
		q := &s.rows[padRef>>rowShift]
		if i := g.first + j/g.parts; j/g.parts < g.count && s.isSet(i) {
			q = &s.rows[firstBase+2*i]
		}
		lanes.SetPoint(&points[j], &q.X, &q.Y)
	}
	var a lanes.Affine
	a.Unpack(&points)
	p.SetAffine(&a)
	for k := 1; k < g.parts; k++ {
		from := lanes.None() // the lanes of part k and of all later parts
		for j := range lanes.Width {
			if j%g.parts >= k {
				from.Put(j, 1)
			}
		}
		var twice lanes.Jacobian
		twice.DoubleN(&p, g.width)
		p.Select(from, &twice, &p)
	}
	return p
}

// finishTables gives the entries of all groups one common denominator in each lane, writes the
// tables, and returns the denominators. It overwrites scratch.
func finishTables(groups []strausGroup, scratch *lanes.Affine) (z lanes.Element) {
	z = groups[0].z
	for i := 1; i < len(groups); i++ {
		groups[i].others = z
		z.Mul(&z, &groups[i].z)
	}
	behind := groups[len(groups)-1].z
	for i := len(groups) - 2; i > 0; i-- {
		groups[i].others.Mul(&groups[i].others, &behind)
		behind.Mul(&behind, &groups[i].z)
	}
	groups[0].others = behind

	beta, square := lanes.Beta()
	for i := range groups {
		g := &groups[i]
		entries := eisenstein.Entries(g.width)
		scale := g.others
		scaled := len(groups) > 1
		for e := entries - 1; e >= 0; e-- {
			q := &g.entries[e]
			if scaled {
				var t lanes.Element
				t.Square(&scale)
				q.X.Mul(&q.X, &t)
				t.Mul(&t, &scale)
				q.Y.Mul(&q.Y, &t)
			}
			if e > 1 {
				if scaled {
					scale.Mul(&scale, &g.ratios[e])
				} else {
					scale, scaled = g.ratios[e], true
				}
			}
			eisenstein.SetEntry(g.tables, e, q, scratch, &beta, &square)
		}
	}
	return z
}
