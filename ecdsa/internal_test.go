package ecdsa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func number(x *big.Int) (v scalar.Scalar) {
	v.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return v
}

// With the nonce in hand, what no hash leads to: s is zero, and the nonce is at
// the ends of its range.
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

		var sig Signature
		ds, zs, ks := number(d), number(z), number(k)
		private := keys.New(&ds)
		gotID, ok := sig.signWith(&private, &ds, &zs, &ks)
		if ok != want || ok == sig.IsZero() {
			t.Fatalf("a signature of %x by %x with the nonce %x: %v, want %v", z, d, k, ok, want)
		}
		if !ok {
			continue
		}
		s, id = reference.LowS(s, id)
		if sig != (Signature{number(r), number(s)}) || gotID != byte(id) {
			t.Errorf("the signature of %x by %x with the nonce %x is (%x, %x) and %d, want (%x, %x) and %d", z, d, k, sig.R(), sig.S(), gotID, r, s, id)
		}
	}
}

// SignChecked promises a low s too.
func TestCheckWantsLowS(t *testing.T) {
	k := koblitz.GenerateKey()
	pub := (*keys.Private)(k).Public()
	hash := make([]byte, 32)
	sig, err := Sign(k, hash)
	if err != nil || !check(pub, hash, sig) {
		t.Fatalf("a good signature does not pass: %v", err)
	}
	high := *sig
	high.s.Neg(&high.s)
	if !Verify(k.PublicKey(), hash, &high) || check(pub, hash, &high) {
		t.Error("a high s passes")
	}
	if check(nil, hash, sig) {
		t.Error("a signature passes without a key")
	}
}

func TestBelowPMinusN(t *testing.T) {
	span := new(big.Int).Sub(reference.P(), reference.N())
	for _, shift := range []uint{0, 63, 64, 65, 127, 128, 129, 192, 255} {
		for d := int64(-2); d <= 2; d++ {
			step := new(big.Int).Mul(new(big.Int).Lsh(big.NewInt(1), shift), big.NewInt(d))
			x := step.Add(step, span)
			if x.Sign() < 0 || x.Cmp(reference.N()) >= 0 {
				continue
			}
			v := number(x)
			l := v.Limbs()
			if got, want := belowPMinusN(&l), x.Cmp(span) < 0; got != want {
				t.Errorf("belowPMinusN(%x) = %v", x, got)
			}
		}
	}
}
