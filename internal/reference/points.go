package reference

import "math/big"

// Curves returns SmallCurves and Secp256k1.
func Curves() []*Curve { return append(SmallCurves(), Secp256k1()) }

// Points returns all points of a small group: 0, G, 2G, …. For secp256k1 it returns neighbouring
// multiples of G, from infinity up and then from −G down, and some multiples of λ·G. They have many
// pairs whose sums are exceptional cases of formulas.
func (c *Curve) Points() (points []Point) {
	if c.Order.BitLen() < 20 {
		var p Point
		for range c.Order.Int64() {
			points = append(points, p)
			p = c.Add(p, c.G)
		}
		return points
	}
	for k := range int64(9) {
		points = append(points, c.ScalarMult(big.NewInt(k), c.G))
	}
	for k := int64(1); k < 9; k++ {
		points = append(points, c.Neg(points[k]))
	}
	for _, p := range points[1:4] {
		points = append(points, c.MulBeta(p), c.Neg(c.MulBeta(p)))
	}
	return points
}
