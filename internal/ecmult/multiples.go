package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// maxMultiples is the most odd multiples a table of a variable base holds.
const maxMultiples = 1 << (multWindow - 1)

// multiples holds P, 3P, 5P, … of a variable base and the same multiples of
// λP, all with the denominator z: the entry (x, y) is the point
// (x/z², y/z³).
//
// (x, y) ↦ (x·z², y·z³) maps y² = x³ + b to y² = x³ + b·z⁶ and sums to sums,
// and the formulas of addition do not contain b. So the entries are affine
// points of the second curve, additions there are mixed, and a result (X, Y, Z)
// over there is (X, Y, Z·z) here.
type multiples struct {
	p, lambdaP [maxMultiples]entry
	z          field.Element
}

// set makes t the first count multiples, at most maxMultiples, of p. The time
// does not depend on p.
//
// Adding two points that share a denominator is cheap and gives the first of
// them with the denominator of the sum as well (Meloni, New point addition
// formulae for ECC applications, WAIFI 2007). So 2P is carried along, and each
// multiple is made from the one before it: 8M + 3S for one, with bringing it to
// the last denominator, and 1M for its λ multiple.
//
// 2P may not be equal or opposite to a multiple it is added to. It is not if
// the order of P is odd and greater than 2·count − 1.
func (t *multiples) set(p *point.Affine, count int) {
	var (
		x, y    [maxMultiples]field.Element // the multiples, each with the denominator of its own
		dz      [maxMultiples]field.Element // what turns the denominator before into its own
		dx, dy  field.Element               // 2P, with the denominator of the last multiple
		a, b, c field.Element
	)

	// 2P, and P with the denominator of 2P, which is 2y:
	//	4xy² = P.x·(2y)²   8y⁴ = P.y·(2y)³   m = 3x²
	//	2P = (m² − 2·4xy², m·(4xy² − 2P.x) − 8y⁴)
	t.z.Double(&p.Y)
	a.Square(&t.z)
	x[0].Mul(&p.X, &a)
	a.Square(&a)
	y[0].Half(&a)
	a.Square(&p.X)
	b.Double(&a)
	a.Add(&a, &b)
	dx.Square(&a)
	dx.Sub(&dx, &x[0])
	dx.Sub(&dx, &x[0])
	b.Sub(&x[0], &dx)
	dy.Mul(&a, &b)
	dy.Sub(&dy, &y[0])

	// D = 2P and T, the multiple before, share a denominator:
	//	δ = D.x − T.x   U = D.x·δ²   V = T.x·δ²   W = D.y·(U − V)
	//	X3 = (D.y − T.y)² − U − V   Y3 = (D.y − T.y)·(U − X3) − W
	// with the denominator of D times δ; D with that is (U, W). 4M + 2S.
	for i := 1; i < count; i++ {
		dz[i].Sub(&dx, &x[i-1])
		a.Square(&dz[i])
		c.Mul(&x[i-1], &a)
		dx.Mul(&dx, &a)
		a.Sub(&dy, &y[i-1])
		b.Sub(&dx, &c)
		dy.Mul(&dy, &b)
		x[i].Square(&a)
		x[i].Sub(&x[i], &dx)
		x[i].Sub(&x[i], &c)
		b.Sub(&dx, &x[i])
		y[i].Mul(&a, &b)
		y[i].Sub(&y[i], &dy)
	}

	// Backwards, everything to the last denominator. a is the quotient of it
	// and the one of multiple i.
	a.One()
	for i := count - 1; i >= 0; i-- {
		if i < count-1 {
			b.Square(&a)
			x[i].Mul(&x[i], &b)
			b.Mul(&b, &a)
			y[i].Mul(&y[i], &b)
		}
		t.p[i].setLimbs(&x[i], &y[i])
		x[i].MulBeta(&x[i])
		t.lambdaP[i].setLimbs(&x[i], &y[i])
		if i > 0 {
			a.Mul(&a, &dz[i])
		}
	}
	t.z.Mul(&t.z, &a)
}

// setLimbs sets e to the point (x, y).
func (e *entry) setLimbs(x, y *field.Element) {
	*(*[4]uint64)(e[:4]) = x.Limbs()
	*(*[4]uint64)(e[4:]) = y.Limbs()
}
