package contract

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// two256 is 2^256. It is read-only.
var two256 = new(big.Int).Lsh(big.NewInt(1), 256)

// Limbs returns x as four little-endian words. x must be in [0, 2^256).
func Limbs(x *big.Int) []uint64 {
	b := x.FillBytes(make([]byte, 32))
	out := make([]uint64, 4)
	for k := range out {
		out[k] = binary.BigEndian.Uint64(b[24-8*k:])
	}
	return out
}

// Int returns the integer with the little-endian 64-bit words w.
func Int(w []uint64) *big.Int {
	x := new(big.Int)
	for k := len(w) - 1; k >= 0; k-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(w[k]))
	}
	return x
}

// Target returns a residue r modulo m. A product congruent to r is hard to reduce. Let c = 2^256 −
// m. If r is a small number in [c, c²), two folds (replacing h·2^256 by h·c) usually leave 2^256 +
// r − c. This causes a third carry out, which a random product does with a probability near
// c²/2^256. If r is near 0 or near m, the final conditional subtraction can go either way.
func Target(m *big.Int, r *rand.Rand) *big.Int {
	c := new(big.Int).Sub(two256, m)
	x := new(big.Int)
	switch r.IntN(8) {
	case 0: // r is near c
		x.Add(c, big.NewInt(r.Int64N(5)-2))
	case 1: // r is near zero
		x.SetInt64(r.Int64N(5) - 2)
	case 2: // r is near a multiple of c
		x.Mul(c, new(big.Int).SetUint64(r.Uint64()>>(r.Uint64()%64)))
		x.Add(x, big.NewInt(r.Int64N(5)-2))
	case 3: // r is just below m
		x.Neg(random(r, 1+r.IntN(2*c.BitLen())))
	case 4: // r is at the boundary of a limb
		x.Lsh(big.NewInt(1), uint(64*(1+r.IntN(3))))
		x.Sub(x, big.NewInt(r.Int64N(3)))
		x.Add(x, new(big.Int).Mul(c, big.NewInt(r.Int64N(3))))
	default: // r − c has a random bit length, up to the largest that two folds can leave
		x.Add(c, random(r, 1+r.IntN(2*c.BitLen()-1)))
	}
	return x.Mod(x, m)
}

func random(r *rand.Rand, n int) *big.Int {
	x := new(big.Int)
	for range n/64 + 1 {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(r.Uint64()))
	}
	return x.Rsh(x, uint(x.BitLen()-min(n, x.BitLen())))
}

// Unit returns a nonzero residue modulo m. With probability 1/2 it is an edge case.
func Unit(m *big.Int, r *rand.Rand) *big.Int {
	for {
		x := reference.RandInt(r)
		if x.Mod(x, m).Sign() != 0 {
			return x
		}
	}
}

// Factors returns a and b such that a·b is congruent modulo m to a residue that Target returns.
func Factors(m *big.Int, r *rand.Rand) (a, b *big.Int) {
	a = Unit(m, r)
	b = new(big.Int).ModInverse(a, m)
	b.Mul(b, Target(m, r))
	return a, b.Mod(b, m)
}

// End returns a residue next to zero or to a power of two, above or below it, or the negative of
// such a residue. The negative is taken from m or from 2^256. Products of two such numbers have
// limbs of all zeros and all ones in both halves, and the largest high halves. So folds carry where
// they do not for random products.
func End(m *big.Int, r *rand.Rand) *big.Int {
	x := random(r, 1+r.IntN(72))
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	if r.IntN(4) == 0 {
		x.SetInt64(0)
	}
	if r.IntN(2) == 0 {
		x.Add(x, new(big.Int).Lsh(big.NewInt(1), uint(32*(1+r.IntN(7)))))
	}
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	if r.IntN(2) == 0 {
		x.Add(x, new(big.Int).Sub(two256, m))
	}
	return x.Mod(x, m)
}

// TopFactors returns a and b just below m, such that a·b is congruent modulo m to a number next to
// a power of two, usually 2^64. The product is then as large as possible: the first fold has its
// largest carry, and the addition of the third fold can itself carry into the next limb.
func TopFactors(m *big.Int, r *rand.Rand) (a, b *big.Int) {
	t := new(big.Int).Lsh(big.NewInt(1), uint(32*(1+r.IntN(8))))
	if r.IntN(3) != 0 {
		t.Lsh(big.NewInt(1), 64)
	}
	x := random(r, 1+r.IntN(t.BitLen()/2))
	x.Add(x, big.NewInt(1))
	y := t.Div(t, x)
	if r.IntN(4) != 0 {
		y.Add(y, big.NewInt(1))
	}
	return x.Sub(m, x).Mod(x, m), y.Sub(m, y).Mod(y, m)
}

// TopRoot returns a number just below m whose square has the properties that TopFactors describes.
func TopRoot(m *big.Int, r *rand.Rand) *big.Int {
	x := new(big.Int).Lsh(big.NewInt(1), uint(16*(1+r.IntN(8))))
	if r.IntN(2) == 0 {
		x.Lsh(big.NewInt(1), 32)
	}
	if r.IntN(2) == 0 {
		x.Add(x, big.NewInt(r.Int64N(5)-2))
	}
	return x.Sub(m, x).Mod(x, m)
}

// Hard returns two factors whose product is hard to reduce modulo m, in one of several ways.
func Hard(m *big.Int, r *rand.Rand) (a, b *big.Int) {
	switch r.IntN(4) {
	case 0:
		return Factors(m, r)
	case 1:
		return End(m, r), End(m, r)
	}
	return TopFactors(m, r)
}

// HardRoot returns a number whose square is hard to reduce modulo m.
func HardRoot(m *big.Int, r *rand.Rand) *big.Int {
	switch r.IntN(4) {
	case 0:
		return Root(m, r)
	case 1:
		return End(m, r)
	}
	return TopRoot(m, r)
}

// Root returns a number whose square is congruent modulo m to a residue that Target returns.
func Root(m *big.Int, r *rand.Rand) *big.Int {
	for {
		if a := new(big.Int).ModSqrt(Target(m, r), m); a != nil {
			if r.IntN(2) == 0 && a.Sign() != 0 {
				a.Sub(m, a)
			}
			return a
		}
	}
}

// Pairs returns factors for a multiplication modulo m. The pairs that find the most errors come
// first: pairs with products that are hard to reduce, large numbers, and random numbers. If full is
// set, all pairs of edge cases follow. A residue below 2^256 − m has two representations below
// 2^256, and occurs in both.
func Pairs(m *big.Int, r *rand.Rand, n int, full bool) [][2]*big.Int {
	var out [][2]*big.Int
	one := func(x *big.Int) *big.Int {
		if y := new(big.Int).Add(x, m); r.IntN(2) == 0 && y.Cmp(two256) < 0 {
			return y
		}
		return x
	}
	for k := range n {
		a, b := reference.RandInt(r), reference.RandInt(r)
		switch k % 4 {
		case 0:
			a, b = Factors(m, r)
		case 2, 3:
			a, b = Hard(m, r)
		}
		out = append(out, [2]*big.Int{one(a), one(b)})
	}
	if full {
		edges := reference.EdgeInts()
		for _, a := range edges {
			for _, b := range edges {
				out = append(out, [2]*big.Int{one(a), one(b)})
			}
		}
	}
	return out
}

// Bases returns inputs for a squaring modulo m, chosen in the way that Pairs chooses factors.
func Bases(m *big.Int, r *rand.Rand, n int, full bool) []*big.Int {
	var out []*big.Int
	for k := range n {
		a := reference.RandInt(r)
		switch k % 4 {
		case 0:
			a = Root(m, r)
		case 2, 3:
			a = HardRoot(m, r)
		}
		out = append(out, a)
	}
	if full {
		out = append(out, reference.EdgeInts()...)
	}
	return out
}
