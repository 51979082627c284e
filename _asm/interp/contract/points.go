package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Jacobian is a point as three residues modulo p: x = X/Z², y = Y/Z³.
type Jacobian struct{ X, Y, Z *big.Int }

// p is only read.
var p = reference.P()

func mod(x *big.Int) *big.Int { return x.Mod(x, p) }

func mulP(xs ...*big.Int) *big.Int {
	r := big.NewInt(1)
	for _, x := range xs {
		mod(r.Mul(r, x))
	}
	return r
}

func addP(x, y *big.Int) *big.Int         { return mod(new(big.Int).Add(x, y)) }
func subP(x, y *big.Int) *big.Int         { return mod(new(big.Int).Sub(x, y)) }
func timesP(k int64, x *big.Int) *big.Int { return mod(new(big.Int).Mul(big.NewInt(k), x)) }
func invP(x *big.Int) *big.Int            { return new(big.Int).ModInverse(x, p) }
func divP(x, y *big.Int) *big.Int         { return mulP(x, invP(y)) }

// Double returns 2a. The formula has no exception on a curve without points of
// order two.
func (a Jacobian) Double() Jacobian {
	y2 := mulP(a.Y, a.Y)
	s := timesP(4, mulP(a.X, y2))
	m := timesP(3, mulP(a.X, a.X))
	x := subP(mulP(m, m), timesP(2, s))
	y := subP(mulP(m, subP(s, x)), timesP(8, mulP(y2, y2)))
	return Jacobian{x, y, timesP(2, mulP(a.Y, a.Z))}
}

// IsInfinity returns whether a is the point at infinity.
func (a Jacobian) IsInfinity() bool { return mod(new(big.Int).Set(a.Z)).Sign() == 0 }

// parts returns what both sides of a sum are when they have one denominator.
func (a Jacobian) parts(b Jacobian) (u1, s1, u2, s2 *big.Int) {
	za, zb := mulP(a.Z, a.Z), mulP(b.Z, b.Z)
	return mulP(a.X, zb), mulP(a.Y, zb, b.Z), mulP(b.X, za), mulP(b.Y, za, a.Z)
}

// Chord returns a + b by the chord, whatever it gives for points that have
// none.
func (a Jacobian) Chord(b Jacobian) Jacobian {
	u1, s1, u2, s2 := a.parts(b)
	h, r := subP(u2, u1), subP(s2, s1)
	h2 := mulP(h, h)
	h3, v := mulP(h2, h), mulP(u1, h2)
	x := subP(subP(mulP(r, r), h3), timesP(2, v))
	y := subP(mulP(r, subP(v, x)), mulP(s1, h3))
	return Jacobian{x, y, mulP(a.Z, b.Z, h)}
}

// Add returns a + b for all points.
func (a Jacobian) Add(b Jacobian) Jacobian {
	if a.IsInfinity() {
		return b
	}
	if b.IsInfinity() {
		return a
	}
	u1, s1, u2, s2 := a.parts(b)
	if u1.Cmp(u2) == 0 {
		if s1.Cmp(s2) == 0 {
			return a.Double()
		}
		return Jacobian{new(big.Int), big.NewInt(1), new(big.Int)}
	}
	return a.Chord(b)
}

// Neg returns -a.
func (a Jacobian) Neg() Jacobian { return Jacobian{a.X, subP(new(big.Int), a.Y), a.Z} }

// Same returns whether a and b are the same point, whatever their
// denominators.
func (a Jacobian) Same(b Jacobian) bool {
	if a.IsInfinity() || b.IsInfinity() {
		return a.IsInfinity() && b.IsInfinity()
	}
	u1, s1, u2, s2 := a.parts(b)
	return u1.Cmp(u2) == 0 && s1.Cmp(s2) == 0
}

func (a Jacobian) String() string { return fmt.Sprintf("(%#x, %#x, %#x)", a.X, a.Y, a.Z) }

// Words returns the coordinates as a kernel has them.
func (a Jacobian) Words() []uint64 { return append(append(Limbs(a.X), Limbs(a.Y)...), Limbs(a.Z)...) }

// Affine returns X and Y alone, for a point whose Z is one.
func (a Jacobian) Affine() []uint64 { return a.Words()[:8] }

// FromWords is the inverse of Words.
func FromWords(w []uint64) Jacobian { return Jacobian{Int(w[:4]), Int(w[4:8]), Int(w[8:12])} }

// loose adds p to some of the residues that leave room for it.
func loose(r *rand.Rand, xs ...*big.Int) {
	top := new(big.Int).Lsh(big.NewInt(1), 256)
	for _, x := range xs {
		if y := new(big.Int).Add(x, p); r.IntN(2) == 0 && y.Cmp(top) < 0 {
			x.Set(y)
		}
	}
}

// Loose adds p to some of the coordinates.
func (a Jacobian) Loose(r *rand.Rand) Jacobian {
	b := Jacobian{new(big.Int).Set(a.X), new(big.Int).Set(a.Y), new(big.Int).Set(a.Z)}
	loose(r, b.X, b.Y, b.Z)
	return b
}

// root returns a square root of x or of -x: one of them has one, since p = 3
// mod 4.
func root(x *big.Int) *big.Int {
	if a := new(big.Int).ModSqrt(mod(new(big.Int).Set(x)), p); a != nil {
		return a
	}
	return new(big.Int).ModSqrt(subP(new(big.Int), x), p)
}

// goal returns a target divided by one of the small factors by which formulas
// for the same thing differ.
func goal(r *rand.Rand) *big.Int {
	factors := []int64{1, 1, 1, -1, -1, 2, -2, 4, -4, 8, -8, 3, -3, 9}
	t := divP(Target(p, r), timesP(factors[r.IntN(len(factors))], big.NewInt(1)))
	if r.IntN(4) == 0 {
		t = timesP(2, t)
	}
	return t
}

// end returns a residue next to zero, above or below.
func end(r *rand.Rand) *big.Int {
	x := random(r, 1+r.IntN(72))
	x.Add(x, big.NewInt(1))
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	return mod(x)
}

// square returns whether x has a square root modulo p, and the root.
func square(x *big.Int) (*big.Int, bool) {
	a := new(big.Int).ModSqrt(x, p)
	return a, a != nil
}

// slopeInput returns X and Y of a point for a doubling in which, with
// S = Y², L = 3/2·X² and T = X·S, one of the differences L² - 2·T and
// L·(3·T - L²) - S² is a target, or the factors in it are as large or as small
// as they can be.
func slopeInput(r *rand.Rand, kind int) (x, y *big.Int) {
	for {
		x = Unit(p, r)
		if kind >= 2 {
			x, _ = square(divP(timesP(2, end(r)), big.NewInt(3)))
			if x == nil {
				continue
			}
		}
		l := divP(timesP(3, mulP(x, x)), big.NewInt(2))
		var s *big.Int
		switch kind {
		case 0: // L² - 2·T
			s = divP(subP(mulP(l, l), Target(p, r)), timesP(2, x))
		case 1: // S² - 3·L·X·S + L³ + target = 0
			lx := mulP(l, x)
			d, ok := square(subP(timesP(9, mulP(lx, lx)), timesP(4, addP(mulP(l, l, l), Target(p, r)))))
			if !ok {
				continue
			}
			s = divP(addP(timesP(3, lx), d), big.NewInt(2))
		case 2: // L and S at their ends
			s = end(r)
		default: // L and 3·T - L² at their ends
			s = divP(addP(end(r), mulP(l, l)), timesP(3, x))
		}
		if y, ok := square(s); ok && y.Sign() != 0 {
			return x, y
		}
	}
}

// DoubleInput returns a point for a doubling: random, or one for which some
// product in the formula is a target.
func DoubleInput(r *rand.Rand) Jacobian {
	x, y, z := Unit(p, r), Unit(p, r), Unit(p, r)
	t := goal(r)
	if t.Sign() == 0 {
		t.SetInt64(1)
	}
	switch kind := r.IntN(16); kind {
	case 12, 13, 14, 15:
		x, y = slopeInput(r, kind-12)
	case 9: // 3/2·X²
		if a, ok := square(divP(timesP(2, Target(p, r)), big.NewInt(3))); ok {
			x = a
		}
	case 0: // X²
		x = root(t)
	case 1: // Y²
		y = root(t)
	case 2: // Y⁴
		y = root(root(t))
	case 3: // X·Y²
		x = divP(t, mulP(y, y))
	case 4: // Y·Z
		z = divP(t, y)
	case 5: // X⁴, the square of the slope
		x = root(root(t))
	case 6: // slope·(S - X3), halved: with L = 3/2·X² and T = -X·Y²: L·(L² + 3·T)
		for {
			l := divP(timesP(3, mulP(x, x)), big.NewInt(2))
			tt := divP(subP(divP(t, l), mulP(l, l)), big.NewInt(3))
			if y = new(big.Int).ModSqrt(divP(subP(new(big.Int), tt), x), p); y != nil {
				break
			}
			x = Unit(p, r)
		}
	case 7: // the point at infinity
		z = new(big.Int)
	case 8: // X zero: on a curve of its own, but a valid input
		x = new(big.Int)
	}
	return Jacobian{x, y, z}
}

// AddInput returns two points for an addition: random, or such that some
// product in the formula is a target. The second has Z = 1 if mixed is set. No
// point is infinity and the two have different x.
func AddInput(r *rand.Rand, mixed bool) (a, b Jacobian) {
	for {
		one := big.NewInt(1)
		z1, z2 := Unit(p, r), Unit(p, r)
		if mixed {
			z2 = one
		}
		u1, s1, h, d := Unit(p, r), Unit(p, r), Unit(p, r), Unit(p, r)
		t := goal(r)
		if t.Sign() == 0 {
			t.SetInt64(1)
		}
		h2 := func() *big.Int { return mulP(h, h) }
		h3 := func() *big.Int { return mulP(h, h, h) }
		switch r.IntN(26) {
		case 18: // R² - H³ - 2·V
			u1 = divP(subP(subP(mulP(d, d), h3()), Target(p, r)), timesP(2, h2()))
		case 19: // R·(V - X3) - S1·H³
			v := mulP(u1, h2())
			w := addP(subP(timesP(3, v), mulP(d, d)), h3())
			s1 = divP(subP(mulP(d, w), Target(p, r)), h3())
		case 20:
			h = Target(p, r)
		case 21:
			d = Target(p, r)
		case 22, 23, 24: // H³, S1, R and V - X3 at their ends, some of them
			for h.Set(end(r)); h.Sign() != 0; h.Set(end(r)) {
				if a := new(big.Int).Exp(h, cubeRootExponent(), p); mulP(a, a, a).Cmp(h) == 0 {
					h = a
					break
				}
			}
			w := Unit(p, r)
			for _, x := range []*big.Int{s1, d, w} {
				if r.IntN(4) != 0 {
					x.Set(end(r))
				}
			}
			u1 = divP(divP(subP(addP(w, mulP(d, d)), h3()), big.NewInt(3)), h2())
		case 25: // S2 against S1 at their ends
			s1 = end(r)
			d = subP(end(r), s1)
		case 0:
			h = root(t)
		case 1:
			h = CubeRoot(r)
		case 2:
			u1 = divP(t, h2())
		case 3:
			d = root(t)
		case 4:
			z1 = divP(t, mulP(z2, h))
		case 5:
			s1 = divP(t, h3())
		case 6: // R·(V - X3), with V - X3 = 3·V - R² + H³
			v := divP(subP(addP(divP(t, d), mulP(d, d)), h3()), big.NewInt(3))
			u1 = divP(v, h2())
		case 7:
			z1 = root(t)
		case 8:
			z1 = CubeRoot(r)
		case 9: // X2·Z1²
			h = subP(t, u1)
		case 10: // Y2·Z1³
			d = subP(t, s1)
		case 11: // X1·Z2²
			u1 = t
		case 12: // Y1·Z2³
			s1 = t
		case 13: // Z1·Z2
			z1 = divP(t, z2)
		case 14:
			if !mixed {
				z2 = root(t)
			}
		case 15:
			if !mixed {
				z2 = CubeRoot(r)
			}
		case 16: // Y2·Z1
			d = subP(mulP(t, z1, z1), s1)
		case 17: // Y1·Z2
			s1 = mulP(t, z2, z2)
		}
		u2, s2 := addP(u1, h), addP(s1, d)
		zz1, zz2 := mulP(z1, z1), mulP(z2, z2)
		if z1.Sign() == 0 || z2.Sign() == 0 || h.Sign() == 0 || h.Cmp(p) == 0 {
			continue
		}
		a = Jacobian{divP(u1, zz2), divP(s1, mulP(zz2, z2)), z1}
		b = Jacobian{divP(u2, zz1), divP(s2, mulP(zz1, z1)), z2}
		return a, b
	}
}

// A PointCheck returns a check of words against a point.
func PointCheck(param string, want Jacobian) func(out Values) error {
	return func(out Values) error {
		got := FromWords(out[param])
		if !got.Same(want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	}
}
