package ecdsa

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Parts of a compact signature's first byte.
const (
	compactSigMagicOffset         = 27
	compactSigCompPubKey          = 4
	pubKeyRecoveryCodeOddnessBit  = 1
	pubKeyRecoveryCodeOverflowBit = 2
)

func signatureError(kind ErrorKind, text string) Error {
	return Error{Err: kind, Description: text}
}

// sign signs with a given nonce. No exported function does that.
func sign(key, nonce *secp256k1.ModNScalar, hash []byte) (*Signature, byte, bool) {
	var d, z, k scalar.Scalar
	d.Set((*scalar.Scalar)(key))
	k.Set((*scalar.Scalar)(nonce))
	dsa.SetHash(&z, hash)
	sig := new(Signature)
	r, s := sig.numbers()
	id, ok := dsa.SignWith(r, s, nil, &d, &z, &k)
	return sig, id, ok
}
