package ecdsa

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

func number(x *big.Int) (v scalar.Scalar) {
	v.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return v
}

// TestCheckWantsLowS checks that the function check refuses a signature with a high s.
func TestCheckWantsLowS(t *testing.T) {
	k := koblitz.GenerateKey()
	pub := (*keys.Private)(k).Public()
	hash := make([]byte, 32)
	var sig Signature
	id, err := sig.sign(k, hash, nil, true)
	if err != nil || !check(pub, hash, &sig) || !checkRecoverable(pub, hash, &sig, id) {
		t.Fatalf("a good signature does not pass: %v", err)
	}
	high := sig
	_, s := high.numbers()
	s.Neg(s)
	if !Verify(k.PublicKey(), hash, &high) || check(pub, hash, &high) {
		t.Error("a high s passes")
	}
	for id := range byte(4) {
		if checkRecoverable(pub, hash, &high, id) {
			t.Error("a high s passes with a recovery id")
		}
	}
	if check(nil, hash, &sig) || checkRecoverable(nil, hash, &sig, id) {
		t.Error("a signature passes without a key")
	}
	if check(pub, hash, &Signature{}) || checkRecoverable(pub, hash, &Signature{}, 0) {
		t.Error("the zero value passes")
	}
}

// TestCheckRecoverable checks that exactly one of the four recovery ids passes: the id with which
// Recover finds the key. This must also hold if r is the x coordinate minus n. No known nonce gives
// such an r, so the test chooses the nonce point R and computes the key from it.
func TestCheckRecoverable(t *testing.T) {
	c := reference.Secp256k1()
	hash := []byte("a message, hashed, of thirty-two")
	for r := int64(1); r < 40; r++ {
		for id := range byte(4) {
			var sig Signature
			rr, ss := sig.numbers()
			*rr, *ss = number(big.NewInt(r)), number(big.NewInt(7))
			k, err := Recover(hash, append(sig.Bytes(), id))
			if x := big.NewInt(r); err != nil {
				if id&2 != 0 {
					x.Add(x, c.Order)
				}
				if _, ok := c.LiftX(x, id&1 == 1); ok {
					t.Errorf("r = %d, id %d: %v", r, id, err)
				}
				continue
			}
			for other := range byte(8) {
				if got := checkRecoverable((*keys.Public)(k), hash, &sig, other); got != (other == id) {
					t.Errorf("r = %d, id %d: the id %d passes: %v", r, id, other, got)
				}
			}
			*rr = number(big.NewInt(r + 100))
			if checkRecoverable((*keys.Public)(k), hash, &sig, id) {
				t.Errorf("r = %d, id %d: another r passes", r, id)
			}
		}
	}
}

// TestFaultInKey checks that Sign returns an error after each fault in the key. TestFault of
// internal/dsa changes the values between the steps of signing.
func TestFaultInKey(t *testing.T) {
	secrettest.KeyFaults(t, errFault, func(k *keys.Private) error {
		sig, err := Sign((*koblitz.PrivateKey)(k), make([]byte, 32), nil)
		if (sig == nil) == (err == nil) {
			t.Fatalf("%v, %v", sig, err)
		}
		return err
	})
}
