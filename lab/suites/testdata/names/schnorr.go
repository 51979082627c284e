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

// schnorrSign signs with a given nonce. If it is the nonce of Sign, it calls Sign. Otherwise it
// computes the signature itself, only for comparison and verification.
func schnorrSign(key, nonce *secp256k1.ModNScalar, hash []byte) (*Signature, error) {
	d := key.Bytes()
	if secp256k1.NonceRFC6979(d[:], hash, rfc6979ExtraDataV0[:], nil, 0).Equals(nonce) {
		return Sign(secp256k1.NewPrivateKey(key), hash)
	}
	k, R := *nonce, secp256k1.JacobianPoint{}
	secp256k1.ScalarBaseMultNonConst(&k, &R)
	R.ToAffine()
	if R.Y.IsOdd() {
		k.Negate()
	}
	var e secp256k1.ModNScalar
	if !challenge(&e, &R.X, hash) {
		return nil, errors.New("another nonce must be tried")
	}
	return NewSignature(&R.X, e.Mul(key).Negate().Add(&k)), nil
}

func schnorrVerify(sig *Signature, hash []byte, key *secp256k1.PublicKey) error {
	return sig.verify(hash, key)
}
