package contract

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// oddSplits returns calls of a kernel that splits scalars into d_1 + d_2·λ with odd d_1 and d_2.
func oddSplits(r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		c := &Call{Name: fmt.Sprintf("call %d", k)}
		var ks [Lanes]*big.Int
		var words []uint64
		for j := range ks {
			ks[j] = new(big.Int).Mod(reference.RandInt(r), reference.N())
			words = append(words, Limbs(ks[j])...)
		}
		l := uint(129 + r.IntN(64))
		c.Numbers = []Number{{Param: "top", Value: 1 << (l - 129)}}
		c.Buffers = []Buffer{
			{Param: "k", Words: 4 * Lanes, In: words},
			{Param: "b1", Words: 3 * Lanes, Out: true},
			{Param: "b2", Words: 3 * Lanes, Out: true},
		}
		c.Check = func(v Values) error {
			for j := range ks {
				var d [2]*big.Int
				for i, name := range []string{"b1", "b2"} {
					b := Int([]uint64{v[name][j], v[name][Lanes+j], v[name][2*Lanes+j]})
					b.Lsh(b, 1).Sub(b, new(big.Int).Lsh(big.NewInt(1), l))
					d[i] = b.Add(b, big.NewInt(1))
				}
				if err := oddHalves(ks[j], d[0], d[1]); err != nil {
					return fmt.Errorf("lane %d of %d bits: %w", j, l, err)
				}
			}
			return nil
		}
		calls = append(calls, c)
	}
	return calls
}

// oddHalves checks a split of the scalar k. It returns an error if d1 + d2·λ is not k modulo n, or
// if one of the two rounded quotients is wrong. A quotient is right if it is the integer with the
// wanted parity that is nearest to the exact quotient, up to the kernel's rounding error.
func oddHalves(k, d1, d2 *big.Int) error {
	n := reference.N()
	sum := new(big.Int).Mul(d2, reference.Lambda())
	sum.Add(sum, d1).Sub(sum, k)
	if sum.Mod(sum, n).Sign() != 0 || d1.Bit(0) != 1 || d2.Bit(0) != 1 {
		return fmt.Errorf("%#x splits to %#x and %#x", k, d1, d2)
	}
	// Let the split be (d1, d2) = −ε1·v1 − ε2·v2, with the basis v1 = (a1, −b1), v2 = (a2, a1),
	// whose determinant is n. ε1 and ε2 are the errors of the rounded quotients. Therefore ε1·n =
	// a2·d2 − a1·d1 and ε2·n = −(b1·d1 + a1·d2).
	a1, _ := new(big.Int).SetString("3086d221a7d46bcde86c90e49284eb15", 16)
	b1, _ := new(big.Int).SetString("e4437ed6010e88286f547fa90abfe4c3", 16)
	a2 := new(big.Int).Add(a1, b1)
	product := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	e1 := new(big.Int).Sub(product(a2, d2), product(a1, d1))
	e2 := new(big.Int).Add(product(b1, d1), product(a1, d2))
	limit := splitLimit()
	if e1.CmpAbs(limit) > 0 || e2.CmpAbs(limit) > 0 {
		return fmt.Errorf("%#x splits to %#x and %#x: not the nearest", k, d1, d2)
	}
	return nil
}

// splitLimit returns n + n/2^45. It limits the errors of the rounded quotients, times n.
func splitLimit() *big.Int {
	n := reference.N()
	return new(big.Int).Add(n, new(big.Int).Rsh(n, 45))
}

// proveSplit proves what a kernel that splits a scalar k stores: the numbers b = (d + 2^l − 1)/2,
// from 0 to 2^l − 1, for a pair d with d_1 + d_2·λ ≡ k modulo n.
//
// With the basis v1 = (a1, −b1), v2 = (a2, a1) of the lattice, let e = (k, 0) − c1·v1 − c2·v2. Then
// e_1 + e_2·λ ≡ k modulo n for all integers c1 and c2. The kernel computes d ≡ e modulo 2^156. The
// determinant of the basis is n, which is odd, so c1 and c2 modulo 2^156 follow from d. proveSplit
// takes their forms with the coefficients nearest to 0. It proves three bounds:
//
//   - c1 and c2 differ from k·a1/n and k·b1/n by at most 1 + 2^-45, as oddHalves checks.
//   - So |e_1| and |e_2| are less than 2^129, because (k, 0) = (k·a1/n)·v1 + (k·b1/n)·v2.
//   - |d_1| and |d_2| are less than 2^155. So d is e.
//
// Lanes are signed, so the last word may seem to be negative, and b too. b is congruent to the
// stored number modulo 2^192. As d is e, b is from 0 to 2^l − 1. So it is the stored number.
func proveSplit(s *symbols, in, _ []*proof.Form) error {
	a1, b1 := limbs.ShortVector()
	a2 := new(big.Int).Add(a1, b1)
	power := func(l uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), l) }
	minus := func(x *big.Int) *big.Int { return new(big.Int).Neg(x) }
	less := func(x *big.Int) *big.Int { return new(big.Int).Sub(x, big.NewInt(1)) }
	modulus, half := power(156), big.NewInt(int64(s.call.number("top")))
	half.Lsh(half, 128) // 2^(l − 1)
	forms := s.Forms()
	var d [2]*proof.Form
	for i, n := range s.outputs {
		words := make([]*proof.Form, len(n.at))
		for j, w := range n.at {
			at := s.machine.regions[n.buffer].Address() + uint64(8*w)
			if words[j] = forms[proof.Place{Kind: 'm', At: at}]; words[j] == nil {
				return fmt.Errorf("word %d of b_%d does not depend on k", j, i+1)
			}
		}
		for j, f := range words[:2] {
			if err := s.Between(f, new(big.Int), less(power(64))); err != nil {
				return fmt.Errorf("word %d of b_%d: %w", j, i+1, err)
			}
		}
		b := s.Join(n.bits, words...)
		lo, hi := new(big.Int).Sub(half, power(154)), new(big.Int).Add(half, power(154))
		if err := s.Between(b, lo, less(hi)); err != nil {
			return fmt.Errorf("b_%d: %w", i+1, err)
		}
		d[i] = b.Sub(proof.Constant(half)).Shift(1).Add(proof.Int(1))
	}
	inverse := new(big.Int).ModInverse(reference.N(), modulus)
	quotient := func(x, y *big.Int) *proof.Form { // (x·(d_1 − k) + y·d_2)/n
		return d[0].Sub(in[0]).Times(x).Add(d[1].Times(y)).Times(inverse).Residue(modulus)
	}
	limit := splitLimit()
	c := [2]*proof.Form{quotient(minus(a1), a2), quotient(minus(b1), minus(a1))}
	for i, x := range []*big.Int{a1, b1} {
		f := c[i].Times(reference.N()).Sub(in[0].Times(x))
		if err := s.Between(f, minus(limit), limit); err != nil {
			return fmt.Errorf("c%d: %w", i+1, err)
		}
	}
	largest := new(big.Int).Add(a1, a2) // a1 + b1 is less
	if largest.Mul(largest, limit).Cmp(new(big.Int).Mul(reference.N(), power(129))) >= 0 {
		return errors.New("the halves may have more than 129 bits")
	}
	e := [2]*proof.Form{
		in[0].Sub(c[0].Times(a1)).Sub(c[1].Times(a2)), c[0].Times(b1).Sub(c[1].Times(a1)),
	}
	for i := range e {
		if f := d[i].Sub(e[i]).Residue(modulus); f.Key() != proof.Int(0).Key() {
			return fmt.Errorf("d_%d and e_%d differ by %v modulo 2^156", i+1, i+1, f)
		}
	}
	f := e[0].Add(e[1].Times(reference.Lambda())).Sub(in[0])
	return s.Congruent(f, reference.N(), func(*proof.Point) *big.Int { return new(big.Int) })
}
