package ecdsa_test

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestSigner checks that a Signer is a crypto.Signer that returns the signatures of Sign in DER,
// and that its public key has the Equal method that package crypto recommends.
func TestSigner(t *testing.T) {
	key := koblitz.GenerateKey()
	s := reference.Must(ecdsa.NewSigner(key))
	var signer crypto.Signer = s
	public := signer.Public()
	if !public.(interface{ Equal(crypto.PublicKey) bool }).Equal(key.PublicKey()) ||
		key.PublicKey().Equal(koblitz.GenerateKey().PublicKey()) || key.PublicKey().Equal(7) {
		t.Error("the public key is another")
	}
	digest := sha256.Sum256([]byte("message"))
	want := string(reference.Must(ecdsa.Sign(key, digest[:], nil)).DER())
	for _, opts := range []crypto.SignerOpts{nil, crypto.Hash(0), crypto.SHA256} {
		if der, err := signer.Sign(rand.Reader, digest[:], opts); err != nil || string(der) != want {
			t.Errorf("Sign with %v = %x, %v", opts, der, err)
		}
	}
	der, err := crypto.SignMessage(s, nil, []byte("message"), crypto.SHA256)
	if err != nil || string(der) != want {
		t.Errorf("crypto.SignMessage = %x, %v", der, err)
	}
	for _, test := range []struct {
		digest []byte
		opts   crypto.SignerOpts
	}{
		{digest[:], crypto.SHA512},
		{nil, nil}, {digest[:31], nil}, {append(digest[:], 0), nil},
		{nil, crypto.Hash(0)}, {digest[:31], crypto.Hash(0)}, {append(digest[:], 0), crypto.Hash(0)},
		{digest[:], crypto.BLAKE2b_512 + 1}, {digest[:], crypto.Hash(1 << 30)}, // there are none
	} {
		if der, err := signer.Sign(nil, test.digest, test.opts); der != nil || err == nil {
			t.Errorf("%d bytes with %v: %x, %v", len(test.digest), test.opts, der, err)
		}
	}
	for _, none := range []*ecdsa.Signer{nil, {}} {
		if none.Public() != nil {
			t.Error("a Signer without a key has a public key")
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
