package schnorr

import (
	"fmt"

	"github.com/decred/dcrd/crypto/blake256"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// The hash of nonceTag is the extra data for nonces. It makes these nonces differ from those of
// ECDSA.
const nonceTag = "EC-Schnorr-DCRv0"

// Sign returns a signature of a message hash of 32 bytes by the key. It returns an [Error] if the
// hash has another length, or if the key is 0. The running time does not depend on the key.
func Sign(privKey *secp256k1.PrivateKey, hash []byte) (*Signature, error) {
	if len(hash) != messageSize {
		return nil, failure(ErrInvalidHashLen, fmt.Sprintf(
			"wrong size for message hash (got %v, want %v)", len(hash), messageSize))
	}
	if privKey.Key.IsZero() {
		return nil, failure(ErrPrivateKeyIsZero, "private key is zero")
	}
	sig := new(Signature)
	// Copy the hash: if it changed between the derivation of the nonce and the challenge, the
	// signature would reveal the key.
	message := [messageSize]byte(hash)
	extra := blake256.Sum256([]byte(nonceTag))
	e := func(e *secp256k1.ModNScalar, r *secp256k1.FieldVal) bool {
		return challenge(e, r, message[:])
	}
	impl.SignSchnorr(&privKey.Key, &message, &extra, e, &sig.r, &sig.s)
	return sig, nil
}
