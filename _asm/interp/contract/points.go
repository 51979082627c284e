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

// small returns a number below 2^32. Such a number has two representations below 2^256.
func small(r *rand.Rand) *big.Int { return random(r, 1+r.IntN(32)) }

// coordinate returns a residue modulo p of one of four kinds: a number whose square is hard to
// reduce, a number near an end of the range, a small number, or any other one.
func coordinate(r *rand.Rand, kind int) *big.Int {
	switch kind {
	case 0:
		return HardRoot(p, r)
	case 1:
		return End(p, r)
	case 2:
		return small(r)
	}
	return Unit(p, r)
}

// coordinates returns n residues modulo p. In half of the cases they are of one kind, and
// otherwise each is of its own kind. The calls do not aim at the carries that need relations
// between the intermediate values of a formula: the proofs of the formulas cover these.
func coordinates(r *rand.Rand, n int) (xs []*big.Int) {
	kind := r.IntN(8)
	for range n {
		if kind > 3 {
			xs = append(xs, coordinate(r, r.IntN(4)))
		} else {
			xs = append(xs, coordinate(r, kind))
		}
	}
	return xs
}

// DoubleInput returns a point for a doubling, with any X and Z, and Y ≠ 0.
func DoubleInput(r *rand.Rand) Jacobian {
	for {
		if x := coordinates(r, 3); x[1].Sign() != 0 {
			return Jacobian{x[0], x[1], x[2]}
		}
	}
}

// AddInput returns two points for an addition. If mixed is set, the second point has Z = 1. Neither
// point is infinity, and the points have different x.
func AddInput(r *rand.Rand, mixed bool) (a, b Jacobian) {
	for {
		x := coordinates(r, 6)
		if mixed {
			x[5].SetInt64(1)
		}
		if r.IntN(4) == 0 { // a common Z, so that the differences are those of coordinates
			x[2].Set(x[5])
		}
		a, b = Jacobian{x[0], x[1], x[2]}, Jacobian{x[3], x[4], x[5]}
		if u1, _, u2, _ := a.parts(b); !a.IsInfinity() && !b.IsInfinity() && u1.Cmp(u2) != 0 {
			return a, b
		}
	}
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
