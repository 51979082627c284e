package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// tableParts is the number of parts of all entries of a table.
const tableParts = eisenstein.EntryParts * eisenstein.MaxEntries

// A laneGroup holds multiples of the points P of eight rows. makeTables computes all entries of
// their tables from these multiples: P, θ·P, 2·P and 4·P, and the products of θ·P and 2·P with −λ².
// θ is 1 + ω' = 2 + ω. A unit times θ is a square root of −3.
type laneGroup struct {
	chain  [3]lanes.Jacobian // θ·P, 2·P and 4·P
	points [6]lanes.Affine
}

// The indices of the array points in a laneGroup.
const (
	onePoint = iota
	thetaPoint
	twoPoint
	fourPoint
	thetaTurned
	twoTurned
)

// A tableStep computes an entry of a table as the sum of two points of a laneGroup.
type tableStep struct{ entry, a, b int }

// tableSteps returns the steps for the entries that are no points of a laneGroup.
func tableSteps() [groupInverses]tableStep {
	return [...]tableStep{
		{7, twoPoint, onePoint},      // 3 = 2 + 1
		{6, thetaPoint, onePoint},    // 2 + ω' = θ + 1
		{9, thetaPoint, twoPoint},    // 3 + ω' = θ + 2
		{3, twoPoint, thetaTurned},   // 1 + 2ω' = 2 − θω²
		{4, thetaPoint, twoTurned},   // 1 + 3ω' = θ − 2ω²
		{5, twoPoint, twoTurned},     // 2 + 2ω' = 2 − 2ω²
		{10, fourPoint, thetaTurned}, // 3 + 2ω' = 4 − θω²
	}
}

// groupInverses is the maximum number of inverses that a group needs at a time.
const groupInverses = 7

// makeTables computes the tables of the rows. All points must be on the curve.
//
// All additions are affine, and the rows share inversions. The first inversion is of the
// denominators of three multiples, and the second of differences of x coordinates. An entry takes
// about 8 multiplications and squarings, while a chain of additions with a common denominator takes
// 16.
//
// No denominator is zero. If a step had two addends with the same x, their sum or their difference
// would be infinity. It is α·P for some small α of ℤ[ω]. Then P times the norm of α would be
// infinity too. The norm is a small integer, but no point of the curve has a small order. The
// denominators 2·y of 2·P and 4·P would be zero for a point of order 2, and (β² − 1)·x of θ·P for
// one of order 3.
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
		chain[twoPoint-1].SetAffine(one)
		w.setTheta(&chain[thetaPoint-1], one)
		chain[twoPoint-1].DoubleN(&chain[twoPoint-1], 1)
		chain[fourPoint-1].DoubleN(&chain[twoPoint-1], 1)
		for e := range chain {
			values = append(values, chain[e].Z)
		}
	}
	inverses := w.invert(values)
	steps := tableSteps()
	values = w.values[:len(groups)*len(steps)]
	for i := range groups {
		g := &groups[i]
		for e := range g.chain {
			p := &g.chain[e]
			scale(&g.points[e+1], &p.X, &p.Y, &inverses[len(g.chain)*i+e])
		}
		w.turn(&g.points[thetaTurned], &g.points[thetaPoint])
		w.turn(&g.points[twoTurned], &g.points[twoPoint])
		for n, entry := range [...]int{onePoint: 0, thetaPoint: 2, twoPoint: 1, fourPoint: 8} {
			w.setEntry(i, entry, &g.points[n])
		}
		for k, s := range steps {
			values[len(steps)*i+k].Sub(&g.points[s.a].X, &g.points[s.b].X)
		}
	}
	inverses = w.invert(values)
	q := &w.memory.Q
	for i := range groups {
		g := &groups[i]
		for k, s := range steps {
			lanes.AddAffineIncomplete(q, &g.points[s.b], &g.points[s.a], &inverses[len(steps)*i+k])
			w.setEntry(i, s.entry, q)
		}
	}
}

// turn sets p to −λ²·q.
func (w *Lanes) turn(p, q *lanes.Affine) {
	p.X.Mul(&q.X, &w.betaSquare)
	p.Y.Neg(&q.Y)
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
	t.Mul(&q.X, &w.betaSquare)
	p.Z.Sub(&t, &q.X)
}

// setEntry sets an entry of the tables of group i to q.
func (w *Lanes) setEntry(i, entry int, q *lanes.Affine) {
	eisenstein.SetEntry(w.table(i), entry, q, w.scratch, &w.beta, &w.betaSquare)
}

// table returns the tables of the points of group i.
func (w *Lanes) table(i int) []lanes.Packed { return w.tables[i*tableParts:][:tableParts] }
