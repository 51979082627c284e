package reference

import (
	"math/big"
	"slices"
	"sync"
)

// SmallCurves returns groups of order 7, 13 and 199 on curves y² = x³ + B over the field of
// secp256k1. The formulas of point arithmetic do not depend on B, so code for secp256k1 works on
// these groups too, and tests can use every pair of points and every scalar.
//
// The groups are found by a search, not stored as constants. For B = 1, 2, … and x = 1, 2, …, take
// the point with this x coordinate on the curve with this B. For each of the six possible group
// orders, remove all factors equal to the wanted prime, and multiply the point by the result, until
// a multiple is not infinity.
func SmallCurves() []*Curve { return slices.Clone(smallCurves()) }

var smallCurves = sync.OnceValue(func() (curves []*Curve) {
	for _, order := range []int64{7, 13, 199} {
		curves = append(curves, smallCurve(big.NewInt(order)))
	}
	return curves
})

func smallCurve(order *big.Int) *Curve {
	for b := int64(1); b < 100; b++ {
		for x := int64(1); x < 10; x++ {
			c := &Curve{B: big.NewInt(b), Order: order}
			a, ok := c.LiftX(big.NewInt(x), false)
			if !ok {
				continue
			}
			for _, total := range TwistOrders() {
				if c.ScalarMult(total, a).IsInfinity() && c.setSubgroup(a, total) {
					return c
				}
			}
		}
	}
	panic("reference: no group of order " + order.String())
}

// setSubgroup sets G and Lambda from a, a point of the curve whose order divides total. It returns
// false if no multiple of a has order c.Order.
func (c *Curve) setSubgroup(a Point, total *big.Int) bool {
	cofactor, rest := new(big.Int).Set(total), new(big.Int)
	for rest.Sign() == 0 {
		q, r := new(big.Int).QuoRem(cofactor, c.Order, rest)
		if r.Sign() == 0 {
			cofactor = q
		}
	}
	g := c.ScalarMult(cofactor, a)
	if g.IsInfinity() {
		return false
	}
	for next := g; !next.IsInfinity(); next = c.ScalarMult(c.Order, g) {
		g = next
	}

	// g has the right order. If the curve has more than one subgroup of this order (as for 7 and
	// 13), the endomorphism need not map multiples of g to multiples of g. Let φ be the
	// endomorphism, and let l and m be the roots of x² + x + 1 modulo the order. Then φ(g) - m·g is
	// an eigenvector of φ with the eigenvalue l, so φ maps the multiples of this point to each
	// other.
	one := big.NewInt(1)
	for l := big.NewInt(1); l.Cmp(c.Order) < 0; l.Add(l, one) {
		v := new(big.Int).Mul(l, l)
		if v.Add(v, l).Add(v, one).Mod(v, c.Order).Sign() != 0 {
			continue
		}
		m := new(big.Int).Sub(c.Order, new(big.Int).Add(l, one))
		c.G = c.Add(c.MulBeta(g), c.Neg(c.ScalarMult(m, g)))
		if !c.G.IsInfinity() {
			c.Lambda = l
			return true
		}
	}
	return false
}

// TwistOrders returns the numbers of points of the six classes of curves y² = x³ + B; the first is
// n, that of secp256k1. Let t = p + 1 - n be the trace of secp256k1, and v with 4p = t² + 3v². Then
// the six traces are ±t, ±(t+3v)/2 and ±(t-3v)/2.
func TwistOrders() []*big.Int {
	p1 := new(big.Int).Add(P(), big.NewInt(1))
	t := new(big.Int).Sub(p1, N())

	vv := new(big.Int).Lsh(P(), 2)
	vv.Sub(vv, new(big.Int).Mul(t, t)).Div(vv, big.NewInt(3))
	v3 := new(big.Int).Sqrt(vv)
	v3.Mul(v3, big.NewInt(3))

	var orders []*big.Int
	for _, trace := range []*big.Int{
		t,
		new(big.Int).Rsh(new(big.Int).Add(t, v3), 1),
		new(big.Int).Rsh(new(big.Int).Sub(t, v3), 1),
	} {
		orders = append(orders, new(big.Int).Sub(p1, trace), new(big.Int).Add(p1, trace))
	}
	return orders
}
