package dsa

import (
	"bytes"
	"crypto/sha256"
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

// TestSign checks that Sign derives the nonce by RFC 6979, by a widely published signature of
// SHA-256("Satoshi Nakamoto") with the key 1.
func TestSign(t *testing.T) {
	message := sha256.Sum256([]byte("Satoshi Nakamoto"))
	var r, s, z scalar.Scalar
	SetHash(&z, message[:])
	d := number(big.NewInt(1))
	Sign(&r, &s, nil, &d, &z, &message, nil)
	var sig [64]byte
	r.PutBytes((*[32]byte)(sig[:32]))
	s.PutBytes((*[32]byte)(sig[32:]))
	if !bytes.Equal(sig[:], reference.Hex("934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab21"+
		"0ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5")) {
		t.Errorf("the signature is %x", sig)
	}
}

// TestNonce checks that a Signing makes the signature of package reference for a chosen nonce, and
// refuses the nonce if s is zero. No known hash leads to such a nonce, or to one at an end of
// the range.
func TestNonce(t *testing.T) {
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

		g := Signing{D: number(d), Z: number(z), k: number(k)}
		g.multiply(nil)
		ok := g.finish()
		if ok != want || ok == anyZero(&g.R, &g.S) {
			t.Fatalf("a signature of %x by %x with the nonce %x: %v, want %v", z, d, k, ok, want)
		}
		if !ok {
			continue
		}
		s, id = reference.LowS(s, id)
		if g.R != number(r) || g.S != number(s) || g.ID != byte(id) {
			t.Errorf("the signature of %x by %x with the nonce %x is (%x, %x) and %d, "+
				"want (%x, %x) and %d", z, d, k, g.R.Limbs(), g.S.Limbs(), g.ID, r, s, id)
		}
	}
}
