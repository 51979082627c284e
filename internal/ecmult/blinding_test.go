package ecmult

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestBlindingSmallNumbers checks k·G = (k − b)·G + b·G, as a Blinding computes it, for small
// numbers k and b. With them the addition meets infinity, equal points, opposite points, and
// neighbouring multiples.
func TestBlindingSmallNumbers(t *testing.T) {
	const most = 12
	c := reference.Secp256k1()
	multiples := make([]reference.Point, most+1)
	for i := 1; i <= most; i++ {
		multiples[i] = c.Add(multiples[i-1], c.G)
	}
	for b := int64(-most); b <= most; b++ {
		s := toScalar(big.NewInt(b))
		v := NewBlinding(&s)
		for k := int64(-most); k <= most; k++ {
			want := multiples[max(k, -k)]
			if k < 0 {
				want = c.Neg(want)
			}
			s := toScalar(big.NewInt(k))
			r := garbage()
			v.ScalarBaseMult(&r, &s)
			if !fromJacobian(&r).Equal(want) {
				t.Errorf("%d·G with b = %d is wrong", k, b)
			}
		}
	}
}

// TestScalarBaseMultAffine checks that ScalarBaseMultAffine returns the same point as
// ScalarBaseMult, with and without blinding.
func TestScalarBaseMultAffine(t *testing.T) {
	c := reference.Secp256k1()
	b := toScalar(reference.Gx())
	for name, v := range map[string]*Blinding{"blinded": NewBlinding(&b), "not blinded": nil} {
		for _, k := range reference.EdgeInts() {
			k.Mod(k, c.Order)
			s := toScalar(k)
			r := garbage()
			a := point.Affine{X: r.X, Y: r.Y}
			finite := v.ScalarBaseMultAffine(&a, &s)
			if finite.Bool() != (k.Sign() != 0) {
				t.Errorf("%x·G, %s: finite: %d", k, name, finite)
			}
			if k.Sign() == 0 {
				if a != (point.Affine{}) {
					t.Errorf("%s: infinity is %v", name, a)
				}
				continue
			}
			if v.ScalarBaseMult(&r, &s); !r.Equal(new(point.Jacobian).SetAffine(&a)).Bool() {
				t.Errorf("%x·G, %s: two results", k, name)
			}
			r.SetAffine(&a)
			if !fromJacobian(&r).Equal(c.ScalarMult(k, c.G)) {
				t.Errorf("%x·G, %s, is wrong", k, name)
			}
		}
	}
}

func TestBlinding(t *testing.T) {
	c := reference.Secp256k1()
	one := big.NewInt(1)
	for _, b := range []*big.Int{
		new(big.Int), one, new(big.Int).Sub(c.Order, one), reference.Lambda(), reference.Gx(),
	} {
		s := toScalar(b)
		v := NewBlinding(&s)
		s.Zero() // NewBlinding must have copied s
		// k = b makes the first part (k − b)·G infinite, k = 2b makes it equal to the second part
		// b·G, and k = 0 makes it opposite to the second part.
		for _, k := range []*big.Int{
			new(big.Int), one,
			b, new(big.Int).Lsh(b, 1), new(big.Int).Add(b, one), new(big.Int).Neg(b),
			reference.Gy(), new(big.Int).Sub(c.Order, one), new(big.Int).Rsh(c.Order, 1),
		} {
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
	}
}
