package sums

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file adds up multiples of points that have tables. docs/msm.md, "Bases that stay", describes
// the algorithm.

// Bases holds tables of multiples of points, to compute several sums of the same points with
// different scalars.
//
// Half scalars are cut into windows of width bits. Window w = j·sets + i uses the bucket set i. The
// point that goes into a bucket is then not P but 2^(width·sets·j)·P, which is read from table j.
// With fewer sets than windows there are fewer buckets to reduce, and fewer doublings at the end.
// So wider windows are worthwhile, which take fewer additions. (This is fixed-base windowing,
// Brickell, Gordon, McCurley and Wilson, EUROCRYPT 1992, with buckets.)
//
// One call of Sum runs at a time; further calls wait for it.
type Bases struct {
	count, width, sets, tables int

	mu  sync.Mutex
	sum Sum // the rows of table j, two for each point, begin at firstBase + 2·count·j
}

// maxRows is the maximum number of rows that a value of type ref can refer to. Tables have at most
// a quarter of these rows, which leaves enough rows for MaxWorkers workers.
const (
	maxRows      = 1 << (32 - rowShift)
	maxTableRows = maxRows / 4
)

// basesRow is the size in bytes of one point's rows in a table: a row for P and a row for λ·P, with
// two coordinates each.
const basesRow = 4 * field.Size

// NewBases returns Bases for points, with tables of at most maxBytes in all. It returns nil if
// maxBytes is less than the size basesRow for each point, or if the tables would have too many
// rows. The point (0, 0) represents the identity. The time depends on the points.
func NewBases(points []point.Affine, maxBytes int) *Bases {
	b := &Bases{count: len(points)}
	if !b.shape(maxBytes) {
		return nil
	}
	b.fill(points)
	return b
}

// fill computes the tables of points: table j holds 2^(width·sets·j)·P for every point P.
func (b *Bases) fill(points []point.Affine) {
	s := &b.sum
	s.makeRoom(b.count, 0)
	s.rows = extend(s.rows, firstBase+2*b.count*b.tables)
	chain := make([]point.Jacobian, b.tables)
	affine := make([]point.Affine, b.tables)
	for i := range points {
		if points[i] == (point.Affine{}) {
			continue
		}
		chain[0].SetAffine(&points[i])
		for j := 1; j < b.tables; j++ {
			chain[j].DoubleN(&chain[j-1], b.width*b.sets)
		}
		point.BatchToAffineVartime(affine, chain)
		for j := range affine {
			rows := s.rows[firstBase+2*(j*b.count+i):][:2]
			rows[0] = affine[j]
			rows[1].MulBeta(&affine[j])
		}
	}
}

// Size returns the length of the tables in bytes.
func (b *Bases) Size() int { return basesRow * b.count * b.tables }

// Len returns the number of points.
func (b *Bases) Len() int { return b.count }

// shape chooses the width and the numbers of sets and tables that have the lowest cost, in
// additions, among those whose tables fit in maxBytes. It returns false if no tables fit.
func (b *Bases) shape(maxBytes int) bool {
	position := profile.Current().Sums.PositionCost
	least := -1
	for width := 3; width <= 16; width++ {
		windows := (fullBits + width - 1) / width
		for sets := 1; sets <= windows; sets++ {
			tables := (windows + sets - 1) / sets
			if b.count > 0 && tables > maxBytes/(basesRow*b.count) ||
				firstBase+2*b.count*tables > maxTableRows {
				continue
			}
			cost := 2*b.count*windows + sets<<width + position*sets*width
			if least < 0 || cost < least {
				least = cost
				b.width, b.sets, b.tables = width, sets, tables
			}
		}
	}
	return least >= 0
}

// windows returns the windows of half scalars. Each has b.width bits, except the last.
func (b *Bases) windows() (w windows) {
	for pos := 0; pos < fullBits; pos += b.width {
		w.pos[w.count] = uint8(pos)
		w.width[w.count] = uint8(min(b.width, fullBits-pos))
		w.count++
	}
	w.pos[w.count] = fullBits
	return w
}

// Sum sets r to the sum of k(i) times point i, for all points. Workers of the team call k at the
// same time. For the team and the errors see [Sum.Result].
func (b *Bases) Sum(
	ctx context.Context, r *point.Jacobian, k func(i int) *scalar.Scalar, c *forkjoin.Team,
) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer c.End()
	if b.count == 0 {
		*r = point.Jacobian{}
		return ctx.Err()
	}
	work := func(_, lo, hi int) { b.set(lo, hi, k) }
	for r := c.Begin(b.count, profile.Current().Sums.RecodeTerms, work); r.Next(); {
		work(0, r.Lo, r.Hi)
	}
	return b.sum.pippenger(ctx, r, b.windows(), b.tables, c)
}

// set sets the terms of the points with numbers from lo to hi − 1.
func (b *Bases) set(lo, hi int, k func(i int) *scalar.Scalar) {
	clear(b.sum.halves[2*lo : 2*hi])
	for i := lo; i < hi; i++ {
		if p := b.sum.rows[firstBase+2*i]; p != (point.Affine{}) {
			b.sum.SetFull(i, k(i), &p)
		}
	}
}
