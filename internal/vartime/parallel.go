package vartime

import (
	"github.com/koblitz-go/koblitz/internal/parallel"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file computes a·B + b·P with one point operation in the lanes of a vector.

// multiplyParallel does the work of multiply, for digits of window bits. Its formulas are complete,
// so it has no exceptional cases. The table of p has different denominators, since the addition of
// any point takes hardly longer than the addition of an affine one.
func multiplyParallel(
	r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine, g *baseTable,
) {
	var digits [streams]stream
	var base [maxBaseDigits]point.Affine
	if a != nil {
		readBase(&digits, &base, a, g)
	}
	var table parallel.Multiples
	var signs [2]uint64
	if !b.IsZero().Bool() {
		signs = readHalves(&digits, b, window)
		table.Set(&parallel.Affine{X: parallel.Split(p.X.Limbs()), Y: parallel.Split(p.Y.Limbs())})
	}

	var acc parallel.Point
	acc.SetInfinity()
	var next [streams]int
	for i := range next {
		next[i] = digits[i].next(i)
	}
	last := 0
	for {
		n := max(next[0], next[1], next[2], next[3])
		if n < 0 {
			break
		}
		position, i := n/streams, n%streams
		doublings := max(last-position, 0)
		last = position
		d := digits[i].take()
		next[i] = digits[i].next(i)
		if i >= ofBase {
			q := parallel.Affine{X: parallel.Split(base[d].X.Limbs()), Y: parallel.Split(base[d].Y.Limbs())}
			acc.DoubleAddAffine(doublings, &q)
			continue
		}
		sign := d >> 15
		acc.DoubleAdd(doublings, &table[((d^sign)-sign)>>1][i], signs[i]^uint64(sign))
	}
	if last > 0 {
		acc.Double(last)
	}
	acc.Jacobian(r)
}
