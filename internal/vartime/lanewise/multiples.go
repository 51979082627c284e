package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// tableParts is the number of parts of all entries of a table.
const tableParts = eisenstein.EntryParts * eisenstein.MaxEntries

// A laneGroup holds multiples of the points P of eight rows, from which makeTables computes all
// other multiples: P, θ·P, 2·P and 4·P, where θ = 1 + ω' = 1 − ω² is a square root of −3, up to a
// unit.
type laneGroup struct {
	chain  [3]lanes.Jacobian // θ·P, 2·P and 4·P
	points [4]lanes.Affine   // P and the points of chain, in affine coordinates
	second [6]lanes.Affine   // the second addends of tableSteps
}

// The indices of the array points in a laneGroup.
const (
	onePoint = iota
	thetaPoint
	twoPoint
	fourPoint
)

// groupInverses is the maximum number of inverses that a group needs at a time.
const groupInverses = 6

// A tableStep computes an entry of a table as A + B', where B' is λ^power·B, or its opposite if
// negate is set. a and b are the indices of A and B in a laneGroup. If other is not zero, the step
// computes two entries that share an inverse: number entry is −ω·(A + B'), and number other is
// ω²·(B' − A).
type tableStep struct {
	entry, a, b, power int
	negate             bool
	other              int
}

// tableSteps returns the steps for the entries that are no points of a laneGroup.
func tableSteps() [6]tableStep {
	return [...]tableStep{
		{7, twoPoint, onePoint, 0, false, 0},    // 3 = 2 + 1
		{6, thetaPoint, twoPoint, 1, false, 3},  // 2 + ω' = −ω·(θ + 2ω), 1 + 2ω' = ω²·(2ω − θ)
		{9, thetaPoint, twoPoint, 0, false, 0},  // 3 + ω' = θ + 2
		{4, thetaPoint, twoPoint, 2, true, 0},   // 1 + 3ω' = θ − 2ω²
		{5, fourPoint, twoPoint, 1, false, 0},   // 2 + 2ω' = 4 + 2ω
		{10, fourPoint, thetaPoint, 2, true, 0}, // 3 + 2ω' = 4 − θω²
	}
}

// makeTables computes the tables of the rows of a block, which must not be empty. If a point is not
// on the curve, its table is wrong.
//
// All additions are affine, and the rows of the block share inversions. The first inversion is of
// the denominators of three multiples, and the second of differences of x coordinates. An entry
// takes about 8 multiplications and squarings, while a chain of additions with a common denominator
// takes 16.
//
// No denominator is zero. If a step had addends with the same x, a small number α of ℤ[ω], their
// sum or their difference, would give α·P = 0. Then P times the norm of α, a small integer, would
// be infinity too, but no point of the curve has a small order. The denominators 2·y of 2·P and 4·P
// would be zero for a point of order 2, and (β² − 1)·x of θ·P for one of order 3.
func (w *Lanes) makeTables(p []point.Affine) {
	groups := w.groups[:lanes.Groups(len(p))]
	values := w.values[:0]
	for i := range groups {
		g := &groups[i]
		var points lanes.Packed
		here := lanes.Group(p, i)
		for j := range points {
			q := &here[min(j, len(here)-1)] // if the group is not full, repeat its last point
			lanes.SetPoint(&points[j], &q.X, &q.Y)
		}
		one, chain := &g.points[onePoint], &g.chain
		one.Unpack(&points)
		w.setTheta(&chain[thetaPoint-1], one)
		chain[twoPoint-1].SetAffine(one)
	}
	for i := range groups {
		chain := &groups[i].chain
		chain[twoPoint-1].DoubleN(&chain[twoPoint-1], 1)
		chain[fourPoint-1].DoubleN(&chain[twoPoint-1], 1)
		for e := range chain {
			values = append(values, chain[e].Z)
		}
	}
	inverses := w.invert(values)
	for i := range groups {
		g := &groups[i]
		for e := range g.chain {
			p := &g.chain[e]
			scale(&g.points[e+1], &p.X, &p.Y, &inverses[len(g.chain)*i+e])
		}
	}
	for i := range groups {
		g := &groups[i]
		for n, entry := range [...]int{onePoint: 0, thetaPoint: 2, twoPoint: 1, fourPoint: 8} {
			w.setEntry(i, entry, &g.points[n])
		}
	}
	w.addSteps(groups)
}

// setTheta sets p to θ·q = q − λ²·q. The slope of the chord is −2·y/((β² − 1)·x). Over the
// denominator Z = (β² − 1)·x, because Z² = −3·β²·x² and x³ = y² − 7, the sum is
//
//	X = y² + 21   Y = y·(63 − y²)
func (w *Lanes) setTheta(p *lanes.Jacobian, q *lanes.Affine) {
	var square, t lanes.Element
	square.Square(&q.Y)
	t.MulSmall(&w.seven, 3)
	p.X.Add(&square, &t)
	t.MulSmall(&w.seven, 9)
	t.Sub(&t, &square)
	p.Y.Mul(&q.Y, &t)
	t.Mul(&q.X, &w.beta[2])
	p.Z.Sub(&t, &q.X)
}

// addSteps computes the entries of tableSteps in the tables of the groups.
//
// It copies a coordinate long before a kernel reads it. Copies are written in smaller parts than a
// vector, and CPUs do not forward several stores to one load.
func (w *Lanes) addSteps(groups []laneGroup) {
	steps := tableSteps()
	values := w.values[:len(groups)*len(steps)]
	for i := range groups {
		g := &groups[i]
		for k := range steps {
			s, p := &steps[k], &g.second[k]
			b := &g.points[s.b]
			if s.power == 0 {
				p.X = b.X
				values[len(steps)*i+k].Sub(&g.points[s.a].X, &b.X)
			} else {
				p.X.Mul(&b.X, &w.beta[s.power])
				values[len(steps)*i+k].Sub(&g.points[s.a].X, &p.X)
			}
			if s.negate {
				p.Y.Neg(&b.Y)
			} else {
				p.Y = b.Y
			}
		}
	}
	inverses := w.invert(values)
	q := &w.memory.Q
	for i := range groups {
		g := &groups[i]
		for k := range steps {
			s, p, inverse := &steps[k], &g.second[k], &inverses[len(steps)*i+k]
			lanes.AddAffineIncomplete(q, p, &g.points[s.a], inverse)
			if s.other != 0 {
				q.X.Mul(&q.X, &w.beta[1])
				q.Y.Neg(&q.Y)
			}
			w.setEntry(i, s.entry, q)
			if s.other != 0 {
				p.Y.Neg(&p.Y)
				lanes.AddAffineIncomplete(q, p, &g.points[s.a], inverse) // A − B'
				q.X.Mul(&q.X, &w.beta[2])
				q.Y.Neg(&q.Y)
				w.setEntry(i, s.other, q)
			}
		}
	}
}

// setEntry sets an entry of the tables of group i to q.
func (w *Lanes) setEntry(i, entry int, q *lanes.Affine) {
	eisenstein.SetEntry(w.table(i), entry, q, w.scratch, &w.beta[1], &w.beta[2])
}

// table returns the tables of the points of group i.
func (w *Lanes) table(i int) []lanes.Packed { return w.tables[i*tableParts:][:tableParts] }
