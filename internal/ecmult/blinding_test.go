package ecmult

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestBlinding checks k·G = (k − b)·G + b·G, as a Blinding computes it, and without a blinding. For
// small k and b the addition meets infinity, equal points, opposite points, and neighbouring
// multiples. So it does for any b: k = b makes the first part infinite, k = 2b makes it equal to
// the second part, and k = 0 makes it opposite to the second part.
func TestBlinding(t *testing.T) {
	c := reference.Secp256k1()
	ks := append(reference.EdgeInts(), reference.Gy())
	bs := []*big.Int{nil, reference.Lambda(), reference.Gx()}
	for i := int64(-6); i <= 6; i++ {
		bs = append(bs, big.NewInt(i))
	}
	for _, b := range bs {
		var v *Blinding
		all := ks
		if b != nil {
			s := toScalar(b)
			v = NewBlinding(&s)
			s.Zero() // NewBlinding must have copied s
			all = []*big.Int{b, new(big.Int).Lsh(b, 1), new(big.Int).Add(b, big.NewInt(1)),
				new(big.Int).Neg(b), reference.Gy(), new(big.Int).Rsh(c.Order, 1)}
			for i := int64(-12); i <= 12; i++ {
				all = append(all, big.NewInt(i))
			}
		}
		if b != nil && b.Cmp(reference.Gx()) == 0 {
			all = append(all, ks...)
		}
		for _, k := range all {
			k = new(big.Int).Mod(k, c.Order)
			want := c.ScalarMult(k, c.G)
			s := toScalar(k)
			before, r := s, garbage()
			if v.ScalarBaseMult(&r, &s); !fromJacobian(&r).Equal(want) {
				t.Errorf("%x·G with b = %x is wrong", k, b)
			}
			r = garbage()
			a := point.Affine{X: r.X, Y: r.Y}
			finite := v.ScalarBaseMultAffine(&a, &s)
			got := reference.Point{}
			if finite.Bool() {
				got = fromJacobian(r.SetAffine(&a))
			}
			if !got.Equal(want) || !finite.Bool() && a != (point.Affine{}) {
				t.Errorf("%x·G in affine coordinates with b = %x is wrong", k, b)
			}
			if s != before {
				t.Errorf("%x·G changes the scalar", k)
			}
		}
	}
}
