package after

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
)

// SignBIP340 signs with auxiliary randomness.
func SignBIP340(secret, hash []byte, aux [32]byte) ([]byte, error) {
	priv, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return nil, err
	}
	return schnorr.Sign(priv, hash, &schnorr.SignOptions{Aux: aux[:]}) // nil: fresh randomness
}

// A Verifier verifies the BIP-340 signatures of one key.
type Verifier struct{ key *koblitz.XOnlyPublicKey }

// NewVerifier parses the 32 bytes of an x-only key.
func NewVerifier(key32 []byte) (*Verifier, error) {
	key, err := koblitz.ParseXOnlyPublicKey(key32)
	if err != nil {
		return nil, err
	}
	return &Verifier{key}, nil
}

// Verify reports whether sig64 is a signature of the hash.
func (v *Verifier) Verify(hash, sig64 []byte) bool {
	return len(hash) == 32 && schnorr.Verify(v.key, hash, sig64)
}
