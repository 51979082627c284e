package reference

import (
	"math/big"
	"sync"
)

// Domain parameters of secp256k1, SEC 2 version 2, section 2.4.1.
const (
	hexP  = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
	hexN  = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	hexGx = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	hexGy = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"

	// Cube roots of unity mod p and mod n with λ·(x, y) = (βx, y). A test derives both from p and n
	// and checks this equation.
	hexBeta   = "7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee"
	hexLambda = "5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72"
)

// P returns the prime of the field, 2^256 - 2^32 - 977.
func P() *big.Int { return new(big.Int).Set(prime()) }

// N returns the prime order of the group.
func N() *big.Int { return fromHex(hexN) }

// Gx returns the first coordinate of the generator.
func Gx() *big.Int { return fromHex(hexGx) }

// Gy returns the second coordinate of the generator.
func Gy() *big.Int { return fromHex(hexGy) }

// Beta returns β, the cube root of unity mod p of the endomorphism λ·(x, y) = (βx, y).
func Beta() *big.Int { return fromHex(hexBeta) }

// Lambda returns λ, the cube root of unity mod n of the endomorphism λ·(x, y) = (βx, y).
func Lambda() *big.Int { return fromHex(hexLambda) }

// prime returns p, always the same big.Int, which must not be changed: P would make a copy for
// every field operation.
var prime = sync.OnceValue(func() *big.Int { return fromHex(hexP) })

func fromHex(s string) *big.Int {
	x, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic("reference: bad constant " + s)
	}
	return x
}

// A Point is a point of a curve in affine coordinates, or the point at infinity, whose X is nil.
type Point struct{ X, Y *big.Int }

// IsInfinity reports whether a is the point at infinity, the neutral element.
func (a Point) IsInfinity() bool { return a.X == nil }

// Equal reports whether a and b are the same point.
func (a Point) Equal(b Point) bool {
	if a.IsInfinity() || b.IsInfinity() {
		return a.IsInfinity() && b.IsInfinity()
	}
	return a.X.Cmp(b.X) == 0 && a.Y.Cmp(b.Y) == 0
}

// A Curve is a cyclic group of prime order on y² = x³ + B over the field of secp256k1.
type Curve struct {
	B      *big.Int // constant of the curve equation
	Order  *big.Int // prime order of the group that G generates
	G      Point    // generator
	Lambda *big.Int // Lambda·(x, y) = (βx, y) for every point of the group
}

// Secp256k1 returns the curve secp256k1.
func Secp256k1() *Curve {
	return &Curve{B: big.NewInt(7), Order: N(), G: Point{Gx(), Gy()}, Lambda: Lambda()}
}

// IsOnCurve reports whether a is infinity, or has coordinates in [0, p) that satisfy the curve
// equation.
func (c *Curve) IsOnCurve(a Point) bool {
	if a.IsInfinity() {
		return true
	}
	return inField(a.X) && inField(a.Y) && mulP(a.Y, a.Y).Cmp(c.rhs(a.X)) == 0
}

// LiftX returns the point with the given x coordinate whose y coordinate is odd if isOdd is set,
// and even otherwise. The second result is false if x is not in [0, p) or if no such point exists.
func (c *Curve) LiftX(x *big.Int, isOdd bool) (Point, bool) {
	if !inField(x) {
		return Point{}, false
	}
	y := new(big.Int).ModSqrt(c.rhs(x), prime())
	if y == nil {
		return Point{}, false
	}
	if (y.Bit(0) == 1) != isOdd {
		// If y is 0 there is no point with odd y. This occurs only on curves with a point of order
		// 2; secp256k1 has none.
		if y.Sign() == 0 {
			return Point{}, false
		}
		y.Sub(P(), y)
	}
	return Point{new(big.Int).Set(x), y}, true
}

// Neg returns -a.
func (c *Curve) Neg(a Point) Point {
	if a.IsInfinity() {
		return a
	}
	return Point{new(big.Int).Set(a.X), modP(new(big.Int).Neg(a.Y))}
}

// Add returns a + b.
func (c *Curve) Add(a, b Point) Point {
	switch {
	case a.IsInfinity():
		return b
	case b.IsInfinity():
		return a
	case a.X.Cmp(b.X) == 0 && a.Y.Cmp(b.Y) == 0:
		return c.Double(a)
	case a.X.Cmp(b.X) == 0:
		return Point{}
	}
	return chord(a, b, divP(new(big.Int).Sub(b.Y, a.Y), new(big.Int).Sub(b.X, a.X)))
}

// Double returns 2a.
func (c *Curve) Double(a Point) Point {
	if a.IsInfinity() || a.Y.Sign() == 0 {
		return Point{}
	}
	xx := mulP(a.X, a.X)
	return chord(a, a, divP(xx.Mul(xx, big.NewInt(3)), new(big.Int).Lsh(a.Y, 1)))
}

// chord returns the negative of the third intersection of the curve with the line through a and b,
// which has the given slope. This is a + b, or 2a if the line is the tangent at a = b.
func chord(a, b Point, slope *big.Int) Point {
	x := mulP(slope, slope)
	x.Sub(x, a.X).Sub(x, b.X)
	modP(x)
	y := new(big.Int).Sub(a.X, x)
	y.Mul(y, slope).Sub(y, a.Y)
	return Point{x, modP(y)}
}

// powers returns 2^i·G for i < 256 and the generator G of secp256k1.
var powers = sync.OnceValue(func() []Point {
	c := Secp256k1()
	list := []Point{c.G}
	for range 255 {
		list = append(list, c.Double(list[len(list)-1]))
	}
	return list
})

// ScalarMult returns k·a for any integer k. It does not reduce k first. Multiples of secp256k1's
// generator, which tests need most, are sums of powers of two times the generator.
func (c *Curve) ScalarMult(k *big.Int, a Point) Point {
	if k.Sign() < 0 {
		return c.ScalarMult(new(big.Int).Neg(k), c.Neg(a))
	}
	var r Point
	if k.BitLen() <= 256 && a.Equal(Point{Gx(), Gy()}) {
		for i, power := range powers() {
			if k.Bit(i) == 1 {
				r = c.Add(r, power)
			}
		}
		return c.Neg(c.Neg(r)) // a copy, which callers may change
	}
	for i := k.BitLen() - 1; i >= 0; i-- {
		r = c.Double(r)
		if k.Bit(i) == 1 {
			r = c.Add(r, a)
		}
	}
	return r
}

// MulBeta returns (βx, y) for a = (x, y), which is Lambda·a if a is in the group.
func (c *Curve) MulBeta(a Point) Point {
	if a.IsInfinity() {
		return a
	}
	return Point{mulP(Beta(), a.X), new(big.Int).Set(a.Y)}
}

// rhs returns x³ + B, the right-hand side of the curve equation.
func (c *Curve) rhs(x *big.Int) *big.Int {
	return modP(new(big.Int).Add(mulP(x, mulP(x, x)), c.B))
}

func inField(x *big.Int) bool { return x.Sign() >= 0 && x.Cmp(prime()) < 0 }

// modP reduces x in place to [0, p).
func modP(x *big.Int) *big.Int { return x.Mod(x, prime()) }

func mulP(x, y *big.Int) *big.Int { return modP(new(big.Int).Mul(x, y)) }

// divP returns x / y modulo p. y must not be a multiple of p.
func divP(x, y *big.Int) *big.Int {
	return mulP(x, new(big.Int).ModInverse(modP(new(big.Int).Set(y)), prime()))
}
