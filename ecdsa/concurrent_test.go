package ecdsa_test

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// TestConcurrentUse checks that many goroutines can use the same key pair and signature at a time.
// The race detector finds violations.
func TestConcurrentUse(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded := k.Blinded()
	key := mustRecoverable(t, k)
	hash := sha256.Sum256([]byte("message"))
	sig, _ := ecdsa.Sign(k, hash[:], nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				signer := k
				if i%2 == 0 {
					signer = blinded
				}
				if got, err := ecdsa.Sign(signer, hash[:], nil); err != nil || *got != *sig {
					t.Errorf("%v, %v", got, err)
				}
				if !ecdsa.Verify(key, hash[:], sig) || !ecdsa.Verify(signer.PublicKey(), hash[:], sig) {
					t.Error("does not verify")
				}
			}
		})
	}
	wg.Wait()

	// Signing while Zeroize runs must return an error or a valid signature.
	public := k.PublicKey()
	for i := range 8 {
		wg.Go(func() {
			if i == 4 {
				k.Zeroize()
			}
			if got, err := ecdsa.Sign(k, hash[:], nil); err == nil && !ecdsa.Verify(public, hash[:], got) {
				t.Error("signed with half a key")
			}
		})
	}
	wg.Wait()

	// If a key is zeroized while it signs, the error must not say that the machine is faulty.
	for range 30 {
		k := koblitz.GenerateKey()
		k.PublicKey()
		wg.Go(k.Zeroize)
		_, err := ecdsa.Sign(k, hash[:], nil)
		if err != nil && !strings.Contains(err.Error(), "zeroized") {
			t.Error(err)
		}
		_, err = ecdsa.SignRecoverable(k, hash[:], nil)
		if err != nil && !strings.Contains(err.Error(), "zeroized") {
			t.Error(err)
		}
		wg.Wait()
	}
	if _, err := ecdsa.Sign(blinded, hash[:], nil); err == nil {
		t.Error("the blinded key survives Zeroize")
	}
}

func mustRecoverable(t *testing.T, k *koblitz.PrivateKey) *koblitz.PublicKey {
	t.Helper()
	sig, err := ecdsa.SignRecoverable(k, make([]byte, 32), nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.Recover(make([]byte, 32), sig)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
