package ecdsa_test

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// TestSigner checks that a Signer is a crypto.Signer that returns the signatures of Sign in DER,
// and that its public key has the Equal method that package crypto recommends.
func TestSigner(t *testing.T) {
	key := koblitz.GenerateKey()
	s, err := ecdsa.NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	var signer crypto.Signer = s
	public := signer.Public()
	if !public.(interface{ Equal(crypto.PublicKey) bool }).Equal(key.PublicKey()) ||
		key.PublicKey().Equal(koblitz.GenerateKey().PublicKey()) || key.PublicKey().Equal(7) {
		t.Error("the public key is another")
	}
	digest := sha256.Sum256([]byte("message"))
	want, err := ecdsa.Sign(key, digest[:], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []crypto.SignerOpts{nil, crypto.Hash(0), crypto.SHA256} {
		der, err := signer.Sign(rand.Reader, digest[:], opts)
		if err != nil || string(der) != string(want.DER()) {
			t.Errorf("Sign with %v = %x, %v", opts, der, err)
		}
	}
	if der, err := signer.Sign(nil, digest[:], crypto.SHA512); der != nil || err == nil {
		t.Errorf("a digest of another length: %x, %v", der, err)
	}
	for _, opts := range []crypto.SignerOpts{nil, crypto.Hash(0)} {
		for _, b := range [][]byte{nil, digest[:31], append(digest[:], 0)} {
			if der, err := signer.Sign(nil, b, opts); der != nil || err == nil {
				t.Errorf("%d bytes, hashed by no function: %x, %v", len(b), der, err)
			}
		}
	}
	if der, err := crypto.SignMessage(s, nil, []byte("message"), crypto.SHA256); err != nil ||
		string(der) != string(want.DER()) {
		t.Errorf("crypto.SignMessage = %x, %v", der, err)
	}
	for _, none := range []*ecdsa.Signer{nil, {}} {
		if none.Public() != nil {
			t.Error("a Signer without a key has a public key")
		}
	}
	for _, unknown := range []crypto.Hash{crypto.BLAKE2b_512 + 1, 1 << 30} {
		if der, err := signer.Sign(nil, digest[:], unknown); der != nil || err == nil {
			t.Errorf("a digest of a hash function that there is not: %x, %v", der, err)
		}
	}
	key.Zeroize()
	if der, err := signer.Sign(nil, digest[:], nil); der != nil || !errors.Is(err,
		koblitz.ErrZeroKey) {
		t.Errorf("after Zeroize: %x, %v", der, err)
	}
	for _, k := range []*koblitz.PrivateKey{nil, {}, key} {
		if s, err := ecdsa.NewSigner(k); s != nil || !errors.Is(err, koblitz.ErrZeroKey) {
			t.Errorf("a Signer without a key: %v", err)
		}
	}
}
