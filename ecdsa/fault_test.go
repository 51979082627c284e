package ecdsa

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
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
