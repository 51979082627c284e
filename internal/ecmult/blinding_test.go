package ecmult

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestBlinding(t *testing.T) {
	c := reference.Secp256k1()
	one := big.NewInt(1)
	for _, b := range []*big.Int{new(big.Int), one, new(big.Int).Sub(c.Order, one), reference.Lambda(), reference.Gx()} {
		s := toScalar(b)
		v := NewBlinding(&s)
		s.Zero() // it was copied
		// k = b makes the first part infinite, 2b makes it equal to the second,
		// 0 opposite.
		for _, k := range []*big.Int{new(big.Int), one, b, new(big.Int).Lsh(b, 1), new(big.Int).Add(b, one), new(big.Int).Neg(b),
			reference.Gy(), new(big.Int).Sub(c.Order, one), new(big.Int).Rsh(c.Order, 1)} {
			k = new(big.Int).Mod(k, c.Order)
			s := toScalar(k)
			before := s
			r := garbage()
			v.ScalarBaseMult(&r, &s)
			if !fromJacobian(&r).Equal(c.ScalarMult(k, c.G)) {
				t.Errorf("%x·G with b = %x is wrong", k, b)
			}
			if s != before {
				t.Errorf("%x·G changes the scalar", k)
			}
		}
		if v.Wipe(); *v != (Blinding{}) {
			t.Error("Wipe leaves something")
		}
	}
}
