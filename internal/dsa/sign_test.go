package dsa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func number(x *big.Int) (v scalar.Scalar) {
	l := reference.Words(x)
	v.SetLimbs(&l)
	return v
}

// TestSignWith checks that SignWith makes the signature of package reference for a chosen nonce,
// and refuses the nonce if s is zero. No known hash leads to such a nonce, or to one at an end of
// the range.
func TestSignWith(t *testing.T) {
	c := reference.Secp256k1()
	rnd := rand.New(rand.NewPCG(6, 6))
	inGroup := func() *big.Int {
		x := reference.RandInt(rnd)
		x.Mod(x, new(big.Int).Sub(c.Order, big.NewInt(1)))
		return x.Add(x, big.NewInt(1))
	}
	for i := range 60 {
		d, k := inGroup(), inGroup()
		switch i % 5 {
		case 0:
			k = big.NewInt(int64(1 + i))
		case 1:
			k = new(big.Int).Sub(c.Order, big.NewInt(int64(1+i)))
		}
		z := new(big.Int).Mod(reference.RandInt(rnd), c.Order)
		if i%3 == 0 { // s = 0
			z = new(big.Int).Mul(c.ScalarMult(k, c.G).X, d)
			z.Neg(z).Mod(z, c.Order)
		}
		r, s, id, want := reference.SignECDSA(d, z.FillBytes(make([]byte, 32)), k)

		var gotR, gotS scalar.Scalar
		ds, zs, ks := number(d), number(z), number(k)
		gotID, ok := SignWith(&gotR, &gotS, nil, &ds, &zs, &ks)
		if ok != want || ok == anyZero(&gotR, &gotS) {
			t.Fatalf("a signature of %x by %x with the nonce %x: %v, want %v", z, d, k, ok, want)
		}
		if !ok {
			continue
		}
		s, id = reference.LowS(s, id)
		if gotR != number(r) || gotS != number(s) || gotID != byte(id) {
			t.Errorf("the signature of %x by %x with the nonce %x is (%x, %x) and %d, "+
				"want (%x, %x) and %d", z, d, k, gotR.Limbs(), gotS.Limbs(), gotID, r, s, id)
		}
	}
}
