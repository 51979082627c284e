package ecdsa

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A signature that does not belong to the key's public key, as after a fault,
// does not get out of SignChecked.
func TestSignCheckedFindsFaults(t *testing.T) {
	k, other := koblitz.GenerateKey(), koblitz.GenerateKey()
	hash := make([]byte, 32)
	if _, err := SignChecked(k, hash); err != nil {
		t.Fatal(err)
	}
	(*keys.Private)(k).Public().SetAffine((*keys.Public)(other.PublicKey()).Affine())
	if sig, err := SignChecked(k, hash); sig != nil || err != errFault {
		t.Errorf("SignChecked with a fault = %v, %v", sig, err)
	}
}

// A blinded key signs through its blinding: with one that is broken no
// signature comes out right.
func TestSignIsBlinded(t *testing.T) {
	unblinded := koblitz.GenerateKey()
	unblinded.PublicKey()
	b := ecmult.NewBlinding(new(scalar.Scalar).SetUint64(5))
	k := koblitz.PrivateKey((*keys.Private)(unblinded).Blinded(b))
	if _, err := SignChecked(&k, make([]byte, 32)); err != nil {
		t.Fatal(err)
	}
	b.Wipe()
	if _, err := SignChecked(&k, make([]byte, 32)); err != errFault {
		t.Errorf("the blinding is not used: %v", err)
	}
}
