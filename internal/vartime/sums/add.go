package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A ref refers to the point in a row, or to its opposite: it is 64 times the number of the row,
// plus 1 for the opposite. On machines with kernels a row has 64 bytes, so 64 times the number is
// the row's offset in bytes. The ref 0 refers to no point.
type ref = uint32

const (
	rowShift = 6 // a row has 64 bytes on machines with kernels

	// The first rows belong to no term. Row 0 holds (0, 0), so the ref 0 can mean that there is no
	// point. Unused lanes of a group add row 0 and row 1, which holds G, as if (0, 0) were a point,
	// and their sums go to row 2.
	padRef    ref = 1 << rowShift
	padOut    ref = 2 << rowShift
	firstBase     = 3

	// addLanes fills the lists with unused pairs up to a multiple of padTo, two groups of eight lanes,
	// and the kernels read eight groups more. padLength is the number of unused pairs that must fit in
	// the lists.
	padTo     = 16
	padLength = padTo + 64
)

// A pairList holds n pairs of points, the refs a and b, and for each pair the row out and the
// bucket for its sum. The lists have padLength more elements.
type pairList struct {
	a, b, out []ref
	bucket    []uint32
	n         int
}

// add adds the points (x1, y1) and (x2, y2) of every waiting pair, in affine coordinates. The
// denominators of all slopes share one inversion (Montgomery's trick), so each sum takes only 5M +
// 1S:
//
//	λ = (y2 − y1)/(x2 − x1)   x3 = λ² − x1 − x2   y3 = λ·(x1 − x3) − y1
//
// Two equal points (x, y) are doubled: λ = 3·x²/(2·y), whose denominator shares the same inversion.
// The sum of two opposite points is infinity, and its row is set to (0, 0).
//
// For each pair, add sets row out to the sum of the points, or to its opposite if a is odd: out
// must be even, and out|a&1 then refers to the sum. Output rows must be distinct and never input
// rows, and no input row may be (0, 0). add may change the order of the pairs. It reports whether
// some sum is infinity.
func (w *worker) add() (infinite bool) {
	if lanes.Available() && w.pairs.n >= profile.Current().Pairs {
		return w.addLanes()
	}
	return w.addSingle(w.pairs.n)
}

// addSingle does the work of the method add for the first n pairs, one pair after another, without
// vector lanes.
func (w *worker) addSingle(n int) (infinite bool) {
	rows, a, b, out := w.rows, w.pairs.a[:n], w.pairs.b[:n], w.pairs.out[:n]
	w.products = resize(w.products, n)
	products := w.products[:n]

	// products[i] is the product of the denominators with numbers below i.
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

// denominator sets d to the denominator of the slope for p + q, or for p − q if opposite is set. p
// and q must have the same x. If the two addends are equal, d is 2·y. If they are opposite, the sum
// is infinity, and denominator sets d to 1 and returns true.
func denominator(d *field.Element, p, q *point.Affine, opposite bool) (infinite bool) {
	if p.Y.Equal(&q.Y).Bool() == opposite {
		d.One()
		return true
	}
	d.Double(&p.Y)
	return false
}
