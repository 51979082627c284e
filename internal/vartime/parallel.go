package vartime

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file computes a·B + b·P with package vector, which computes one point operation at a time,
// with independent products of its formula in the lanes of one vector. P is a point without a table
// or with one.

// multiplyParallel does the work of multiply, for digits of window bits. Its formulas are complete,
// so it has no exceptional cases. The table of p has different denominators, since the addition of
// any point takes hardly longer than the addition of an affine one.
func multiplyParallel(
	r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine, g *SplitTable,
) {
	var digits merged
	var base [maxBaseDigits]point.Affine
	digits.readBase(&base, a, g)
	var table vector.Multiples // of 2^(window−2) odd multiples, as window is 5
	signs := digits.read(0, b, window)
	if !b.IsZero().Bool() {
		var q vector.Affine
		table.Set(q.Set(p))
	}

	var acc vector.Point
	acc.SetInfinity()
	for {
		i, d, doublings := digits.take()
		if i < 0 {
			if doublings > 0 {
				acc.Double(doublings)
			}
			break
		}
		if i >= ofBase {
			var q vector.Affine
			acc.DoubleAddAffine(doublings, q.Set(&base[d]))
			continue
		}
		index, negative := entryOf(d)
		acc.DoubleAdd(doublings, &table[index][i], (negative ^ signs[i]).Mask())
	}
	acc.Jacobian(r)
}

// sumParallel does the work of sum with package vector. It multiplies each addend of a second half
// by λ. To multiply the sum instead, as the method sum does, would make it 3 % faster, but would
// need another kernel.
func (s *schedule) sumParallel(r *point.Jacobian, stride int) {
	var acc vector.Point
	var e point.Entry
	var p point.Affine
	var q vector.Affine
	acc.SetInfinity()
	infinity := true // acc has no addend yet
	doublings := 0
	for round := stride - 1; round >= 0; round-- {
		for half, list := range s.lists[round] {
			for list != 0 {
				d := &s.addends[list-1]
				p.SetEntry(e.Unpack(d.entry), d.negative)
				if half == 1 {
					p.X.MulBeta(&p.X)
				}
				q.Set(&p)
				if infinity {
					acc.SetAffine(&q)
					infinity = false
				} else {
					acc.DoubleAddAffine(doublings, &q)
				}
				doublings = 0
				list = d.next
			}
		}
		if round > 0 && !infinity {
			doublings++
		}
	}
	if doublings > 0 {
		acc.Double(doublings)
	}
	acc.Jacobian(r)
}
