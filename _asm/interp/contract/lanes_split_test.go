package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"

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
	limit := new(big.Int).Add(n, new(big.Int).Rsh(n, 45))
	if e1.CmpAbs(limit) > 0 || e2.CmpAbs(limit) > 0 {
		return fmt.Errorf("%#x splits to %#x and %#x: not the nearest", k, d1, d2)
	}
	return nil
}
