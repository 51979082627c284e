package reference

import (
	"errors"
	"fmt"
	"math/big"
)

// A Split describes how an implementation splits a scalar k, 0 ≤ k < n, into k1 + k2·λ. It takes
// two integers c1 and c2 close to k·A1/n and k·B1/n, and computes
//
//	k1 = k − c1·A1 − c2·A2
//	k2 =     c1·B1 − c2·A1.
//
// See docs/endomorphism.md.
type Split struct {
	A1, B1, A2 *big.Int

	// The integer c1 is from K·G1/2^Shift − Below to K·G1/2^Shift + Above, where K is k with its
	// lowest Cut bits cleared. For c2, G2 takes the place of G1.
	G1, G2       *big.Int
	Shift, Cut   uint
	Below, Above *big.Rat
}

// Bounds returns upper bounds of |k1| and |k2|: their greatest values, rounded down, for all k and
// for all c1 and c2 within their errors. It returns an error if k1 + k2·λ ≡ k mod n does not hold
// for some c1 and c2.
//
// Let c1 = k·A1/n + ε1 and c2 = k·B1/n + ε2. Then (k1, k2) = −ε1·(A1, −B1) − ε2·(A2, A1): with
// exact quotients the result would be (0, 0). So the pairs (k1, k2) are in a parallelogram. Its
// extremes are at its corners, where ε1 and ε2 are both extreme.
func (s *Split) Bounds() (k1, k2 *big.Int, err error) {
	n := N()
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	for _, v := range [][2]*big.Int{{s.A1, new(big.Int).Neg(s.B1)}, {s.A2, s.A1}} {
		// If a vector is not in the lattice, k1 + k2·λ depends on c1 and c2.
		sum := mul(v[1], Lambda())
		if sum.Add(sum, v[0]).Mod(sum, n).Sign() != 0 {
			return nil, nil, errors.New("the vectors are not in the lattice")
		}
	}
	if det := mul(s.A1, s.A1); det.Add(det, mul(s.A2, s.B1)).Cmp(n) != 0 {
		return nil, nil, errors.New("the vectors have another determinant than n")
	}
	e1, e2 := s.errors(s.A1, s.G1), s.errors(s.B1, s.G2)
	k1, k2 = new(big.Int), new(big.Int)
	for _, e1 := range e1 {
		for _, e2 := range e2 {
			largest(k1, e1, s.A1, e2, s.A2)
			largest(k2, e1, new(big.Int).Neg(s.B1), e2, s.A1)
		}
	}
	return k1, k2, nil
}

// errors returns the least and the greatest possible difference of c and k·a/n, where c is the
// integer that belongs to the constant g.
//
// With k = K + κ, the difference of K·g/2^Shift and k·a/n is k·(g/2^Shift − a/n) − κ·g/2^Shift. Its
// extremes are at the extremes of k, 0 and n − 1, and of κ, 0 and 2^Cut − 1.
func (s *Split) errors(a, g *big.Int) [2]*big.Rat {
	one := big.NewInt(1)
	slope := new(big.Rat).SetFrac(g, new(big.Int).Lsh(one, s.Shift))
	cut := new(big.Int).Lsh(one, s.Cut)
	rest := new(big.Rat).Mul(slope, new(big.Rat).SetInt(cut.Sub(cut, one)))
	slope.Sub(slope, new(big.Rat).SetFrac(a, N()))
	end := slope.Mul(slope, new(big.Rat).SetInt(new(big.Int).Sub(N(), one)))

	least, greatest := new(big.Rat), new(big.Rat)
	if end.Sign() < 0 {
		least.Set(end)
	} else {
		greatest.Set(end)
	}
	least.Sub(least, rest).Sub(least, s.Below)
	return [2]*big.Rat{least, greatest.Add(greatest, s.Above)}
}

// largest sets k to |e1·a + e2·b|, rounded down, if that is larger than k.
func largest(k *big.Int, e1 *big.Rat, a *big.Int, e2 *big.Rat, b *big.Int) {
	x := new(big.Rat).Mul(e1, new(big.Rat).SetInt(a))
	x.Add(x, new(big.Rat).Mul(e2, new(big.Rat).SetInt(b))).Abs(x)
	if y := new(big.Int).Div(x.Num(), x.Denom()); y.Cmp(k) > 0 {
		k.Set(y)
	}
}

// Within returns an error unless |k1| and |k2| are below limit1 and limit2, in thousandths of
// 2^128, for all scalars.
func (s *Split) Within(limit1, limit2 int64) error {
	limit := func(k int64) *big.Int {
		x := new(big.Int).Lsh(big.NewInt(k), 128)
		return x.Div(x, big.NewInt(1000))
	}
	k1, k2, err := s.Bounds()
	if err == nil && (k1.Cmp(limit(limit1)) >= 0 || k2.Cmp(limit(limit2)) >= 0) {
		err = fmt.Errorf("the halves reach %x and %x", k1, k2)
	}
	return err
}
