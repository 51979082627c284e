//ct:public verifies signatures, which are public

package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Verify reports whether sig is a signature of the hash by the key (SEC 1 version 2, section
// 4.1.4). Only the first 32 bytes of the hash are used, and it may be shorter. A high s is
// accepted. The running time depends on all arguments.
func (sig *Signature) Verify(digest []byte, pubKey *secp256k1.PublicKey) bool {
	a := secp256k1.Affine(pubKey)
	if !a.IsOnCurve().Bool() {
		return false
	}
	var z scalar.Scalar
	dsa.SetHash(&z, digest)
	own := *sig // the r that is multiplied must be the r that is compared
	r, s := own.numbers()
	return dsa.Verify(r, s, &z, &a, nil)
}

// A compact signature consists of a byte from 27 to 34, r, and s. The byte is 27 plus the recovery
// id, plus 4 if the key should be encoded in compressed form.
const (
	compactSize       = 65
	compactFirst      = 27
	compactCompressed = 4
	compactLast       = compactFirst + compactCompressed + 3
)

// RecoverCompact returns the public key under which the compact signature is valid for the hash
// (SEC 1 version 2, section 4.1.6). It also reports whether the first byte says that the key should
// be encoded in compressed form. It returns an [Error] if the signature is malformed, or if there
// is no key. The running time depends on both arguments.
func RecoverCompact(signature, digest []byte) (*secp256k1.PublicKey, bool, error) {
	if len(signature) != compactSize {
		return nil, false, failure(ErrSigInvalidLen,
			"malformed signature: wrong size: %d != %d", len(signature), compactSize)
	}
	b := [compactSize]byte(signature) // what is checked is what is parsed, even if it changes
	code := b[0]
	if code < compactFirst || code > compactLast {
		return nil, false, failure(ErrSigInvalidRecoveryCode, "invalid signature: "+
			"public key recovery code %d is not in the valid range [%d, %d]",
			code, compactFirst, compactLast)
	}
	code -= compactFirst
	var sig Signature
	rNames, sNames := rPart(), sPart()
	if err := rNames.set(&sig.r, b[1:33]); err != nil {
		return nil, false, err
	}
	if err := sNames.set(&sig.s, b[33:]); err != nil {
		return nil, false, err
	}

	r, s := sig.numbers()
	var x field.Element
	if !dsa.NonceX(&x, r, code) {
		return nil, false, failure(ErrSigOverflowsPrime, "invalid signature: signature R + N >= P")
	}
	var R, q point.Affine
	if !dsa.NoncePoint(&R, &x, code) {
		return nil, false, failure(ErrPointNotOnCurve,
			"invalid signature: not for a valid curve point")
	}
	var z scalar.Scalar
	dsa.SetHash(&z, digest)
	if !dsa.Recover(&q, r, s, &z, &R) {
		return nil, false, failure(ErrPointNotOnCurve,
			"invalid signature: recovered pubkey is the point at infinity")
	}
	return secp256k1.FromAffine(&q), code&compactCompressed != 0, nil
}
