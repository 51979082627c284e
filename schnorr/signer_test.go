package schnorr_test

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestSigner checks that a Signer is a crypto.MessageSigner whose signatures verify, and whose
// public key has the Equal method that package crypto recommends.
func TestSigner(t *testing.T) {
	key := koblitz.GenerateKey()
	s := reference.Must(schnorr.NewSigner(key))
	var signer crypto.MessageSigner = s
	public := signer.Public()
	if !public.(interface{ Equal(crypto.PublicKey) bool }).Equal(key.XOnlyPublicKey()) ||
		key.XOnlyPublicKey().Equal(koblitz.GenerateKey().XOnlyPublicKey()) ||
		key.XOnlyPublicKey().Equal(key.PublicKey()) {
		t.Error("the public key is another")
	}
	for _, msg := range [][]byte{nil, []byte("message"), make([]byte, 32)} {
		check := func(name string, signed []byte, sig []byte, err error) {
			t.Helper()
			if err != nil || !schnorr.Verify(key.XOnlyPublicKey(), signed, sig) {
				t.Errorf("%s of %x: %x, %v", name, msg, sig, err)
			}
		}
		sig, err := signer.SignMessage(rand.Reader, msg, crypto.Hash(0))
		check("SignMessage", msg, sig, err)
		sig, err = signer.SignMessage(nil, msg, nil)
		check("SignMessage without options", msg, sig, err)
		sig, err = signer.Sign(nil, msg, nil)
		check("Sign", msg, sig, err)
		// Sign and SignMessage must agree for the same hash function.
		digest := sha256.Sum256(msg)
		sig, err = signer.SignMessage(nil, msg, crypto.SHA256)
		check("SignMessage with SHA-256", digest[:], sig, err)
		sig, err = signer.Sign(nil, digest[:], crypto.SHA256)
		check("Sign with SHA-256", digest[:], sig, err)
	}
	refused := func(name string, h crypto.Hash, sig []byte, err error) {
		t.Helper()
		if sig != nil || err == nil {
			t.Errorf("%s with %v: %x, %v", name, h, sig, err)
		}
	}
	sig, err := signer.Sign(nil, make([]byte, 31), crypto.SHA256)
	refused("Sign of 31 bytes", crypto.SHA256, sig, err)
	sig, err = signer.SignMessage(nil, nil, crypto.BLAKE2s_256)
	refused("SignMessage", crypto.BLAKE2s_256, sig, err)
	for h := crypto.BLAKE2b_512 + 1; h < 300; h++ { // none is linked, and most do not exist
		sig, err := signer.Sign(nil, make([]byte, 32), h)
		refused("Sign", h, sig, err)
		sig, err = signer.SignMessage(nil, nil, h)
		refused("SignMessage", h, sig, err)
	}
	for _, none := range []*schnorr.Signer{nil, {}} {
		if none.Public() != nil {
			t.Error("a Signer without a key has a public key")
		}
	}
	key.Zeroize()
	if sig, err := signer.SignMessage(nil, nil, nil); sig != nil || !errors.Is(err,
		koblitz.ErrZeroKey) {
		t.Errorf("after Zeroize: %x, %v", sig, err)
	}
	for _, k := range []*koblitz.PrivateKey{nil, {}, key} {
		if s, err := schnorr.NewSigner(k); s != nil || !errors.Is(err, koblitz.ErrZeroKey) {
			t.Errorf("a Signer without a key: %v", err)
		}
	}
}
