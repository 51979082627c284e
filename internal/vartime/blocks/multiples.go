package blocks

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// The table of a point holds its odd multiples below 2^laneWindow. With windows of 4 bits,
// computing a table would take 8 additions less, and the loop over the digits 14 more. With windows
// of 6 bits, a table would take 16 more, and the loop 8 less.
const (
	laneWindow = 5
	laneOdds   = 1 << (laneWindow - 1)
)

// A laneGroup holds multiples of the points P of eight rows, from which makeTables computes all
// other multiples.
type laneGroup struct {
	chain [4]lanes.Jacobian // 4P, 8P, 16P, 32P
	even  [4]lanes.Affine   // the points of chain in affine coordinates
	small [5]lanes.Affine   // P, 3P, 5P, 7P, 9P
}

// groupInverses is the maximum number of inverses that a group needs at a time.
const groupInverses = 6

// An oddStep computes even + small and even − small, whose additions share an inverse. even and
// small are indices of the arrays of the same names in a laneGroup. The field sum is the index of
// their sum in the table, where it is the multiple 2·sum + 1 of P, and the field difference is the
// index of their difference. If one of these fields is 0, that point is not computed.
type oddStep struct{ even, small, sum, difference int8 }

// makeTables computes the tables of the rows of a block, which must not be empty. If a point is not
// on the curve, its table is wrong.
//
// All additions are affine, and the rows of the block share inversions. The first inversion is of
// the denominators of four even multiples. The second and the third are of differences of x
// coordinates, each for one round of additions of an odd to an even multiple. An odd multiple takes
// 9 multiplications and squarings, while a chain of additions of 2P with a common denominator takes
// 16. The addends never have the same x, because no point of the curve has a small order.
func (w *Lanes) makeTables(p []point.Affine) {
	groups := w.groups[:lanes.Groups(len(p))]
	values := w.values[:0]
	for i := range groups {
		g := &groups[i]
		var rows lanes.Packed
		here := group(p, i)
		for j := range rows {
			q := &here[min(j, len(here)-1)] // if the group is not full, repeat its last point
			lanes.SetRow(&rows[j], &q.X, &q.Y)
		}
		g.small[0].Unpack(&rows)
		g.small[0].Pack(&w.table(i)[0])

		g.chain[0].SetAffine(&g.small[0])
		g.chain[0].DoubleN(&g.chain[0], 2)
		for e := 1; e < len(g.chain); e++ {
			g.chain[e].DoubleN(&g.chain[e-1], 1)
		}
		for e := range g.chain {
			values = append(values, g.chain[e].Z)
		}
	}
	inverses := w.invert(values)
	for i := range groups {
		g := &groups[i]
		for e := range g.even {
			zi := &inverses[len(g.even)*i+e]
			var zz lanes.Element
			zz.Square(zi)
			g.even[e].X.Mul(&g.chain[e].X, &zz)
			zz.Mul(&zz, zi)
			g.even[e].Y.Mul(&g.chain[e].Y, &zz)
		}
	}
	w.oddRound(groups, []oddStep{
		{0, 0, 2, 1},  // 4 ± 1: 5, 3
		{1, 0, 4, 3},  // 8 ± 1: 9, 7
		{2, 0, 8, 7},  // 16 ± 1: 17, 15
		{3, 0, 0, 15}, // 32 − 1: 31
	})
	w.oddRound(groups, []oddStep{
		{2, 1, 9, 6},  // 16 ± 3: 19, 13
		{2, 2, 10, 5}, // 16 ± 5: 21, 11
		{2, 3, 11, 0}, // 16 + 7: 23
		{2, 4, 12, 0}, // 16 + 9: 25
		{3, 1, 0, 14}, // 32 − 3: 29
		{3, 2, 0, 13}, // 32 − 5: 27
	})
}

// oddRound computes steps that do not depend on each other's results.
func (w *Lanes) oddRound(groups []laneGroup, steps []oddStep) {
	values := w.values[:len(groups)*len(steps)]
	for i := range groups {
		g := &groups[i]
		for k, s := range steps {
			values[len(steps)*i+k].Sub(&g.even[s.even].X, &g.small[s.small].X)
		}
	}
	inverses := w.invert(values)
	for i := range groups {
		g := &groups[i]
		for k, s := range steps {
			inverse := &inverses[len(steps)*i+k]
			small := &g.small[s.small]
			if s.sum != 0 {
				w.oddMultiple(g, i, int(s.sum), small, &g.even[s.even], inverse)
			}
			if s.difference != 0 {
				a := w.addend
				a.X = small.X
				a.Y.Neg(&small.Y)
				w.oddMultiple(g, i, int(s.difference), a, &g.even[s.even], inverse)
			}
		}
	}
}

// oddMultiple sets entry n of the tables of group i to a + b, and stores it in g.small too if n is
// an index of that array. inverse must be 1/(b.X − a.X).
func (w *Lanes) oddMultiple(g *laneGroup, i, n int, a, b *lanes.Affine, inverse *lanes.Element) {
	q := &w.memory.Q
	lanes.AddAffineIncomplete(q, a, b, inverse)
	if n < len(g.small) {
		g.small[n] = *q
	}
	q.Pack(&w.table(i)[n])
}

// table returns the tables of odd multiples for the points of group i.
func (w *Lanes) table(i int) []lanes.Packed { return w.tables[i*laneOdds:][:laneOdds] }
