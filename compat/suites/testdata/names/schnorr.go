package schnorr

import (
	"errors"

	"github.com/decred/dcrd/crypto/blake256"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

var rfc6979ExtraDataV0 = blake256.Sum256([]byte(nonceTag))

func signatureError(kind ErrorKind, text string) Error {
	return Error{Err: kind, Description: text}
}

// schnorrSign is signing with a nonce that is given, which has no exported name.
func schnorrSign(key, nonce *secp256k1.ModNScalar, hash []byte) (*Signature, error) {
	sig, k := new(Signature), *nonce
	if !sig.signWith(key, &k, hash) {
		return nil, errors.New("another nonce must be tried")
	}
	return sig, nil
}

func schnorrVerify(sig *Signature, hash []byte, key *secp256k1.PublicKey) error {
	return sig.verify(hash, key)
}
