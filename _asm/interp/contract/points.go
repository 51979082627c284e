package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Jacobian is a point in Jacobian coordinates modulo p: x = X/Z², y = Y/Z³.
type Jacobian struct{ X, Y, Z *big.Int }

// p is the field prime. It is read-only.
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

// divP returns x/y modulo p, and 0 if y is 0.
func divP(x, y *big.Int) *big.Int {
	if y = mod(new(big.Int).Set(y)); y.Sign() == 0 {
		return y
	}
	return mulP(x, y.ModInverse(y, p))
}

// Double returns 2a. The doubling formula holds for all points, because the curve has no point of
// order two.
func (a Jacobian) Double() Jacobian {
	y2 := mulP(a.Y, a.Y)
	s := timesP(4, mulP(a.X, y2))
	m := timesP(3, mulP(a.X, a.X))
	x := subP(mulP(m, m), timesP(2, s))
	y := subP(mulP(m, subP(s, x)), timesP(8, mulP(y2, y2)))
	return Jacobian{x, y, timesP(2, mulP(a.Y, a.Z))}
}

// IsInfinity reports whether a is the point at infinity.
func (a Jacobian) IsInfinity() bool { return mod(new(big.Int).Set(a.Z)).Sign() == 0 }

// parts returns the numerators of both points' coordinates over the common denominator Z1·Z2:
// X1·Z2², Y1·Z2³, X2·Z1² and Y2·Z1³.
func (a Jacobian) parts(b Jacobian) (u1, s1, u2, s2 *big.Int) {
	za, zb := mulP(a.Z, a.Z), mulP(b.Z, b.Z)
	return mulP(a.X, zb), mulP(a.Y, zb, b.Z), mulP(b.X, za), mulP(b.Y, za, a.Z)
}

// Chord returns a + b by the chord formula. If a and b have no chord, it returns the values of the
// formula all the same.
func (a Jacobian) Chord(b Jacobian) Jacobian {
	u1, s1, u2, s2 := a.parts(b)
	h, r := subP(u2, u1), subP(s2, s1)
	h2 := mulP(h, h)
	h3, v := mulP(h2, h), mulP(u1, h2)
	x := subP(subP(mulP(r, r), h3), timesP(2, v))
	y := subP(mulP(r, subP(v, x)), mulP(s1, h3))
	return Jacobian{x, y, mulP(a.Z, b.Z, h)}
}

// Neg returns -a.
func (a Jacobian) Neg() Jacobian { return Jacobian{a.X, subP(new(big.Int), a.Y), a.Z} }

// Same reports whether a and b represent the same point.
func (a Jacobian) Same(b Jacobian) bool {
	if a.IsInfinity() || b.IsInfinity() {
		return a.IsInfinity() && b.IsInfinity()
	}
	u1, s1, u2, s2 := a.parts(b)
	return u1.Cmp(u2) == 0 && s1.Cmp(s2) == 0
}

func (a Jacobian) String() string { return fmt.Sprintf("(%#x, %#x, %#x)", a.X, a.Y, a.Z) }

// Words returns the coordinates of a as twelve words in memory.
func (a Jacobian) Words() []uint64 {
	return append(append(Limbs(a.X), Limbs(a.Y)...), Limbs(a.Z)...)
}

// Affine returns the words of X and Y. The point must have Z = 1.
func (a Jacobian) Affine() []uint64 { return a.Words()[:8] }

// FromWords returns the point with the given words; it is the inverse of Words.
func FromWords(w []uint64) Jacobian { return Jacobian{Int(w[:4]), Int(w[4:8]), Int(w[8:12])} }

// loose adds p to randomly chosen residues in xs, but only where the sum stays below 2^256.
func loose(r *rand.Rand, xs ...*big.Int) {
	for _, x := range xs {
		if y := new(big.Int).Add(x, p); r.IntN(2) == 0 && y.Cmp(two256) < 0 {
			x.Set(y)
		}
	}
}

// Loose returns a copy of a with p added to some of the coordinates that are below 2^256 − p.
func (a Jacobian) Loose(r *rand.Rand) Jacobian {
	b := Jacobian{new(big.Int).Set(a.X), new(big.Int).Set(a.Y), new(big.Int).Set(a.Z)}
	loose(r, b.X, b.Y, b.Z)
	return b
}

// goal returns a residue that is hard to reduce, divided by a small factor. A kernel's formula may
// compute a value times such a factor, which then is the hard residue.
func goal(r *rand.Rand) *big.Int {
	factors := []int64{1, 1, 1, -1, -1, 2, -2, 4, -4, 8, -8, 3, -3, 9}
	t := divP(Target(p, r), timesP(factors[r.IntN(len(factors))], big.NewInt(1)))
	if r.IntN(4) == 0 {
		t = timesP(2, t)
	}
	return t
}

// square returns a square root of x modulo p, and reports whether x has one.
func square(x *big.Int) (*big.Int, bool) {
	if a := new(big.Int).ModSqrt(x, p); a != nil {
		return a, true
	}
	return big.NewInt(1), false
}

// cubeRoot returns a cube root of x modulo p, and reports whether x has one. Since p ≡ 7 mod 9, a
// cube raised to the power (p + 2)/9 is a cube root of the cube.
func cubeRoot(x *big.Int) (*big.Int, bool) {
	e := new(big.Int).Add(p, big.NewInt(2))
	a := new(big.Int).Exp(x, e.Div(e, big.NewInt(9)), p)
	return a, mulP(a, a, a).Cmp(x) == 0
}

// small returns a number below 2^32. Such a number has two representations below 2^256.
func small(r *rand.Rand) *big.Int { return random(r, 1+r.IntN(32)) }

// above64 returns a number r in [2^64, 2^64 + 2^32). Consider a sum that is congruent to r and
// exceeds 2^256. Without its carry out, the sum is r − c, just below 2^64. Adding c for the carry
// then carries out of the lowest limb.
func above64(r *rand.Rand) *big.Int {
	x := new(big.Int).Lsh(big.NewInt(1), 64)
	return x.Add(x, small(r))
}

// DoubleInput returns a point for a doubling. It is random, or chosen so that one product or sum in
// the formula is hard to reduce. With S = Y², L = 3/2·X² and T = X·S, the result is X3 = L² - 2·T,
// Y3 = L·(T - X3) - S² and Z3 = Y·Z, or the same point with a multiple of Z3.
func DoubleInput(r *rand.Rand) Jacobian {
	for {
		if a, ok := tryDouble(r); ok {
			return a
		}
	}
}

func tryDouble(r *rand.Rand) (a Jacobian, ok bool) {
	x, y, z := Unit(p, r), Unit(p, r), Unit(p, r)
	ok = true
	// fromS sets y so that S = Y² has the value s. fromL sets x so that L = 3/2·X² has the value l,
	// and returns l.
	fromS := func(s *big.Int) { y, ok = square(s) }
	fromL := func(l *big.Int) *big.Int {
		x, ok = square(divP(timesP(2, l), big.NewInt(3)))
		return l
	}
	slope := func() *big.Int { return divP(timesP(3, mulP(x, x)), big.NewInt(2)) }
	// fromT sets y so that T = X·Y² has the value t, for the x chosen before.
	fromT := func(t *big.Int) {
		if x.Sign() == 0 {
			ok = false
			return
		}
		fromS(divP(t, x))
	}
	switch r.IntN(24) {
	case 0:
		x = HardRoot(p, r)
	case 1:
		y = HardRoot(p, r)
	case 2:
		y, z = Hard(p, r)
	case 3:
		var s *big.Int
		x, s = Hard(p, r)
		fromS(s)
	case 4: // L² is hard to reduce
		fromL(HardRoot(p, r))
	case 5: // S² is hard to reduce
		fromS(HardRoot(p, r))
	case 6, 7: // L·(T - X3) = L·(3·T - L²) is hard to reduce
		l, u := Hard(p, r)
		if fromL(l); ok {
			fromT(divP(addP(u, mulP(l, l)), big.NewInt(3)))
		}
	case 8: // L is hard to reduce
		fromL(Target(p, r))
	case 9: // X3 is hard to reduce
		l := slope()
		fromT(divP(subP(mulP(l, l), Target(p, r)), big.NewInt(2)))
	case 10: // X3 is just below zero, with a small L²
		if l := fromL(random(r, 1+r.IntN(128))); ok {
			fromT(divP(addP(mulP(l, l), small(r)), big.NewInt(2)))
		}
	case 11: // Y3 is hard to reduce, from S² - 3·L·X·S + L³ + target = 0
		l := slope()
		lx := mulP(l, x)
		t := Target(p, r)
		if r.IntN(2) == 0 {
			t.Neg(small(r))
		}
		d, yes := square(subP(timesP(9, mulP(lx, lx)), timesP(4, addP(mulP(l, l, l), t))))
		if !yes {
			return a, false
		}
		fromS(divP(addP(timesP(3, lx), d), big.NewInt(2)))
	case 12: // L and S are near the ends of the range
		if fromL(End(p, r)); ok {
			fromS(End(p, r))
		}
	case 13: // all coordinates are near the ends of the range
		x, y, z = End(p, r), End(p, r), End(p, r)
	case 14: // all coordinates are small numbers
		x, y, z = small(r), small(r), small(r)
	case 15:
		z = new(big.Int)
	case 16: // a point of another curve, but a valid input
		x = new(big.Int)
	case 21: // the product L² is as large as possible, and X3 is just above 2^64
		if l := fromL(TopRoot(p, r)); ok {
			fromT(divP(subP(mulP(l, l), above64(r)), big.NewInt(2)))
		}
	case 17: // products in formulas that differ by a factor are hard to reduce
		y = rootOf(rootOf(goal(r), p), p)
	case 18:
		x = divP(goal(r), mulP(y, y))
	case 19:
		x = rootOf(rootOf(goal(r), p), p)
	case 20:
		z = divP(goal(r), y)
	}
	if !ok || y.Sign() == 0 {
		return a, false
	}
	return Jacobian{x, y, z}, true
}

// AddInput returns two points for an addition. They are random, or chosen so that one product or
// sum in the formula is hard to reduce. If mixed is set, the second point has Z = 1. Neither point
// is infinity, and the points have different x.
func AddInput(r *rand.Rand, mixed bool) (a, b Jacobian) {
	for {
		if a, b, ok := tryAdd(r, mixed); ok {
			return a, b
		}
	}
}

// tryAdd returns two points for which one value in the formulas
//
//	U1 = X1·Z2²  U2 = X2·Z1²  S1 = Y1·Z2³  S2 = Y2·Z1³
//	H = U2 - U1  R = S2 - S1  V = U1·H²
//	X3 = R² - H³ - 2·V  Y3 = R·(V - X3) - S1·H³  Z3 = Z1·Z2·H
//
// is hard to reduce. It first chooses U1, S1, H, R and the Z coordinates, and computes the other
// coordinates from these. ok is false if no such points exist.
func tryAdd(r *rand.Rand, mixed bool) (a, b Jacobian, ok bool) {
	z1, z2 := Unit(p, r), Unit(p, r)
	if mixed {
		z2 = big.NewInt(1)
	}
	u1, s1, h, d := Unit(p, r), Unit(p, r), Unit(p, r), Unit(p, r)
	ok = true
	fromV := func(v *big.Int) { u1 = divP(v, mulP(h, h)) }
	root := func(x *big.Int) (y *big.Int) {
		y, ok = square(x)
		return y
	}
	cube := func(x *big.Int) (y *big.Int) {
		y, ok = cubeRoot(x)
		return y
	}
	unit := func(xs ...*big.Int) bool {
		for _, x := range xs {
			if ok = ok && mod(x).Sign() != 0; !ok {
				return false
			}
		}
		return true
	}
	switch r.IntN(46) {
	case 0:
		z1 = HardRoot(p, r)
	case 1: // X2·Z1² is hard to reduce
		x2, zz := Hard(p, r)
		z1 = root(zz)
		h = subP(mulP(x2, zz), u1)
	case 2: // Y2·Z1³ is hard to reduce
		y2, zzz := Hard(p, r)
		z1 = cube(zzz)
		d = subP(mulP(y2, zzz), s1)
	case 3:
		h = HardRoot(p, r)
	case 4:
		d = HardRoot(p, r)
	case 5:
		z1, h = Hard(p, r)
		if !mixed {
			z1 = divP(z1, z2)
		}
	case 6: // U1·H² is hard to reduce
		var hh *big.Int
		u1, hh = Hard(p, r)
		h = root(hh)
	case 7, 8: // S1·H³ is hard to reduce
		var hhh *big.Int
		s1, hhh = Hard(p, r)
		h = cube(hhh)
	case 9, 10: // R·(V - X3) is hard to reduce; V - X3 = 3·V - R² + H³
		var w *big.Int
		d, w = Hard(p, r)
		fromV(divP(subP(addP(w, mulP(d, d)), mulP(h, h, h)), big.NewInt(3)))
	case 11: // H·H² is hard to reduce
		h = CubeRoot(r)
	case 12:
		h = End(p, r)
	case 13: // Z1·Z1² is hard to reduce
		z1 = CubeRoot(r)
	case 14:
		z1 = End(p, r)
	case 15: // X3 is hard to reduce
		fromV(divP(subP(subP(mulP(d, d), mulP(h, h, h)), Target(p, r)), big.NewInt(2)))
	case 16: // X3 is just below zero, with a small R²
		d = random(r, 1+r.IntN(128))
		fromV(divP(addP(subP(mulP(d, d), mulP(h, h, h)), small(r)), big.NewInt(2)))
	case 17: // Y3 is hard to reduce
		v := mulP(u1, h, h)
		w := addP(subP(timesP(3, v), mulP(d, d)), mulP(h, h, h))
		t := Target(p, r)
		if r.IntN(2) == 0 {
			t.Neg(small(r))
		}
		s1 = divP(subP(mulP(d, w), t), mulP(h, h, h))
	case 18:
		h = Target(p, r)
	case 19:
		d = Target(p, r)
	case 20, 21: // both products in Y3 are near the ends of the range
		w := Unit(p, r)
		h = cube(End(p, r))
		for _, x := range []*big.Int{s1, d, w} {
			if r.IntN(4) != 0 {
				x.Set(End(p, r))
			}
		}
		fromV(divP(subP(addP(w, mulP(d, d)), mulP(h, h, h)), big.NewInt(3)))
	case 22, 28, 40: // all numbers are small
		z1, z2 = big.NewInt(1), big.NewInt(1)
		u1, h, s1, d = small(r), small(r), small(r), small(r)
		if r.IntN(2) == 0 {
			h.Sub(small(r), u1)
		}
		if r.IntN(2) == 0 {
			d.Sub(small(r), s1)
		}
	case 23, 24, 34, 42, 43, 44, 45: // V is small; X3 is small, above V, represented above p
		z1, z2 = big.NewInt(1), big.NewInt(1)
		u1, h = random(r, 1+r.IntN(16)), big.NewInt(1+r.Int64N(4))
		v := mulP(u1, h, h)
		d = root(addP(addP(mulP(h, h, h), timesP(3, v)), small(r)))
	case 35: // the product R² is as large as possible, and X3 is just above 2^64
		d = TopRoot(p, r)
		fromV(divP(subP(subP(mulP(d, d), mulP(h, h, h)), above64(r)), big.NewInt(2)))
	case 36: // the product in H is as large as possible, and H is just above 2^64
		x2, zz := TopFactors(p, r)
		z1, h = root(zz), above64(r)
		u1 = subP(mulP(x2, zz), h)
	case 37: // the product in R is as large as possible, and R is just above 2^64
		y2, zzz := TopFactors(p, r)
		z1, d = cube(zzz), above64(r)
		s1 = subP(mulP(y2, zzz), d)
	case 39: // H equals p or zero except for one bit or one limb
		h = new(big.Int).Lsh(random(r, 1+r.IntN(64)), uint(64*r.IntN(4)))
		if r.IntN(3) != 0 {
			h.Neg(h)
		}
		mod(h)
	case 38: // R·(V - X3) is as large as possible, and S1·H³ is small
		var w *big.Int
		d, w = TopFactors(p, r)
		h, s1 = big.NewInt(1), small(r)
		fromV(divP(subP(addP(w, mulP(d, d)), h), big.NewInt(3)))
	case 25: // the first point's coordinates are hard to reduce
		for _, x := range []*big.Int{u1, s1, z1, h} {
			if r.IntN(4) != 0 {
				x.Set(End(p, r))
			}
		}
	case 26: // the second point's coordinates are hard to reduce
		zz := mulP(z1, z1)
		h = subP(mulP(zz, End(p, r)), u1)
		d = subP(mulP(zz, z1, End(p, r)), s1)
	case 27: // H and R are differences of numbers near opposite ends of the range
		z1, z2 = big.NewInt(1), big.NewInt(1)
		u1, s1 = End(p, r), End(p, r)
		h, d = subP(End(p, r), u1), subP(End(p, r), s1)
	case 29:
		z2 = HardRoot(p, r)
	case 41: // Z2·Z2² is hard to reduce
		z2 = CubeRoot(r)
	case 30: // X1·Z2² is hard to reduce
		x1, zz := Hard(p, r)
		z2 = root(zz)
		u1 = mulP(x1, zz)
	case 31: // Y1·Z2³ is hard to reduce
		y1, zzz := Hard(p, r)
		z2 = cube(zzz)
		s1 = mulP(y1, zzz)
	case 32:
		z1, z2 = Hard(p, r)
	case 33: // Z1·Y2 and Z2·Y1, for another order of factors, are hard to reduce
		d, s1 = subP(mulP(goal(r), z1, z1), s1), mulP(goal(r), z2, z2)
	}
	if mixed {
		z2 = big.NewInt(1)
	}
	if !ok || !unit(z1, z2, h) {
		return a, b, false
	}
	u2, s2 := addP(u1, h), addP(s1, d)
	zz1, zz2 := mulP(z1, z1), mulP(z2, z2)
	a = Jacobian{divP(u1, zz2), divP(s1, mulP(zz2, z2)), z1}
	b = Jacobian{divP(u2, zz1), divP(s2, mulP(zz1, z1)), z2}
	return a, b, true
}

// PointCheck returns a check that the output param represents the point want.
func PointCheck(param string, want Jacobian) func(out Values) error {
	return func(out Values) error {
		got := FromWords(out[param])
		if !got.Same(want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	}
}
