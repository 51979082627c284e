package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A ref is 64 times the number of a row, which is its place in memory for kernels,
// plus 1 if the opposite of its point is meant. 0 means none.
type ref = uint32

const (
	rowShift = 6 // a row has 64 bytes where there are kernels

	// The first rows are no terms. (0, 0) is in row 0, so that a ref to it can
	// mean none. What is added to fill up eight lanes is that row and the
	// second, which is G, as if it were a point, and the sum goes to the third.
	fillRef   ref = 1 << rowShift
	fillOut   ref = 2 << rowShift
	firstBase     = 3

	// addLanes fills up to a multiple of two groups of lanes, and the kernels
	// look eight groups further.
	fillTo   = 16
	fillRoom = fillTo - 1 + 64
)

// An adder adds pairs of rows, many at a time, in affine coordinates. The
// inversions of all slopes' denominators are one (Montgomery's trick), which
// leaves 5M + 1S a sum:
//
//	λ = (y2 − y1)/(x2 − x1)   x3 = λ² − x1 − x2   y3 = λ·(x1 − x3) − y1
//
// A point that meets itself is doubled with λ = 3·x²/(2·y), whose denominator
// goes into the same product; one that meets its opposite leaves infinity, for
// which the row is set to (0, 0).
type adder struct {
	products []field.Element
	lanes    laneAdder
}

// add sets the row that out[i] refers to to the sum of the points that a[i] and
// b[i] refer to, or to its opposite if a[i] is odd: out[i] is even, and
// out[i]|a[i]&1 refers to the sum. None of the rows that are read is written to or
// is (0, 0). The slices have capacity for fillRoom more elements.
// It returns whether some sum is infinity.
func (w *adder) add(rows []point.Affine, a, b, out []ref) (infinite bool) {
	if lanes.Available() && len(a) >= profile.Current().Pairs {
		return w.addLanes(rows, a, b, out)
	}
	return w.addSingle(rows, a, b, out)
}

// addSingle is add, one pair after the other.
func (w *adder) addSingle(rows []point.Affine, a, b, out []ref) (infinite bool) {
	n := len(a)
	b, out = b[:n], out[:n]
	w.products = resize(w.products, n)
	products := w.products[:n]

	// products[i] is the product of the denominators before the i-th.
	var acc, d field.Element
	acc.One()
	for i := range n {
		p, q := &rows[a[i]>>rowShift], &rows[b[i]>>rowShift]
		d.Sub(&q.X, &p.X)
		if d.IsZero().Bool() {
			infinite = denominator(&d, p, q, (a[i]^b[i])&1 != 0) || infinite
		}
		products[i] = acc
		acc.Mul(&acc, &d)
	}
	acc.InvertVartime(&acc)
	for i := n - 1; i >= 0; i-- {
		p, q, r := &rows[a[i]>>rowShift], &rows[b[i]>>rowShift], &rows[out[i]>>rowShift]
		opposite := (a[i]^b[i])&1 != 0
		var slope, y, x field.Element
		y = q.Y
		if opposite {
			y.Neg(&y)
		}
		d.Sub(&q.X, &p.X)
		slope.Sub(&y, &p.Y)
		if d.IsZero().Bool() {
			if denominator(&d, p, q, opposite) {
				*r = point.Affine{}
				continue
			}
			slope.Square(&p.X)
			slope.MulSmall(&slope, 3)
		}
		slope.Mul(&slope, &acc)
		slope.Mul(&slope, &products[i])
		acc.Mul(&acc, &d)

		x.Square(&slope)
		x.Sub(&x, &p.X)
		x.Sub(&x, &q.X)
		y.Sub(&p.X, &x)
		y.Mul(&y, &slope)
		r.Y.Sub(&y, &p.Y)
		r.X = x
	}
	return infinite
}

// denominator sets d to that of the slope for p and q with the same x, where
// −q is meant if opposite is set: 2·y if they are equal, and 1, and returns
// true, if their sum is infinity.
func denominator(d *field.Element, p, q *point.Affine, opposite bool) (infinite bool) {
	if p.Y.Equal(&q.Y).Bool() == opposite {
		d.One()
		return true
	}
	d.Double(&p.Y)
	return false
}
