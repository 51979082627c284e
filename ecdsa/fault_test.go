package ecdsa_test

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestCheckWantsLowS checks that the functions that check a new signature refuse a high s, another
// key than the signer's, and zero values.
func TestCheckWantsLowS(t *testing.T) {
	k, hash := koblitz.GenerateKey(), make([]byte, 32)
	pub, sig65 := (*keys.Private)(k).Public(), reference.Must(ecdsa.SignRecoverable(k, hash, nil))
	good, id := parse(sig65[:64]), sig65[64]
	if !ecdsa.Check(pub, hash, good) || !ecdsa.CheckRecoverable(pub, hash, good, id) {
		t.Fatal("a good signature does not pass")
	}
	high := withNegatedS(good)
	for name, test := range map[string]struct {
		pub *keys.Public
		sig *ecdsa.Signature
	}{"a high s": {pub, high}, "no key": {nil, good}, "the zero value": {pub, new(ecdsa.Signature)}} {
		for id := range byte(4) {
			if ecdsa.Check(test.pub, hash, test.sig) ||
				ecdsa.CheckRecoverable(test.pub, hash, test.sig, id) {
				t.Errorf("%s passes", name)
			}
		}
	}
}

// TestFaultInKey checks that Sign returns an error after each fault in the key. TestFault of
// internal/dsa changes the values between the steps of signing.
func TestFaultInKey(t *testing.T) {
	secrettest.KeyFaults(t, ecdsa.ErrFault, func(k *keys.Private) error {
		sig, err := ecdsa.Sign((*koblitz.PrivateKey)(k), make([]byte, 32), nil)
		if (sig == nil) == (err == nil) {
			t.Fatalf("%v, %v", sig, err)
		}
		return err
	})
}
