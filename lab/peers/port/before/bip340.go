package before

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
)

// SignBIP340 signs with auxiliary randomness.
func SignBIP340(secret, hash []byte, aux [32]byte) ([]byte, error) {
	priv, _ := btcec.PrivKeyFromBytes(secret)
	sig, err := schnorr.Sign(priv, hash, schnorr.CustomNonce(aux))
	if err != nil {
		return nil, err
	}
	return sig.Serialize(), nil
}

// A Verifier verifies the BIP-340 signatures of one key.
type Verifier struct{ key *btcec.PublicKey }

// NewVerifier parses the 32 bytes of an x-only key.
func NewVerifier(key32 []byte) (*Verifier, error) {
	key, err := schnorr.ParsePubKey(key32)
	if err != nil {
		return nil, err
	}
	return &Verifier{key}, nil
}

// Verify reports whether sig64 is a signature of the hash.
func (v *Verifier) Verify(hash, sig64 []byte) bool {
	sig, err := schnorr.ParseSignature(sig64)
	return err == nil && sig.Verify(hash, v.key) // finds the point of the key again
}
