package ecdsa

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Verify reports whether sig is a signature of the hash by the key (SEC 1
// version 2, section 4.1.4). A high s is as good as a low one. Verify is false if
// the key or the signature is nil or a zero value, and if the hash is shorter than 20
// bytes. Of a hash longer than 32 bytes the leftmost 32 count: the package
// documentation says more about lengths.
//
// The time depends on all three. It does not allocate.
func Verify(key *koblitz.PublicKey, hash []byte, sig *Signature) bool {
	return verify((*keys.Public)(key).Affine(), hash, sig)
}

// VerifyLowS is Verify for low s alone: it is false if s is above n/2, as the
// policy of Bitcoin (BIP-146) and the rules of Ethereum (EIP-2) have it.
func VerifyLowS(key *koblitz.PublicKey, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && Verify(key, hash, sig)
}

// VerifyPrepared is Verify for a prepared key: the same verdict, sooner. It
// does not allocate.
func VerifyPrepared(key *koblitz.PreparedKey, hash []byte, sig *Signature) bool {
	k := (*keys.Prepared)(key)
	q := k.Affine()
	if q == nil || tooShort(hash) || sig.IsZero() {
		return false
	}
	var u1, u2 scalar.Scalar
	var R point.Jacobian
	coefficients(&u1, &u2, hash, sig)
	vartime.DoubleScalarMultPrepared(&R, &u1, &u2, q, k.Table())
	return vartime.EqualXModN(&R, &sig.r)
}

// VerifyPreparedLowS is VerifyPrepared for low s alone, as VerifyLowS is Verify.
func VerifyPreparedLowS(key *koblitz.PreparedKey, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && VerifyPrepared(key, hash, sig)
}

// verify is Verify under the key q, which is nil or a point of the curve.
func verify(q *point.Affine, hash []byte, sig *Signature) bool {
	if q == nil || tooShort(hash) || sig.IsZero() {
		return false
	}
	var u1, u2 scalar.Scalar
	var R point.Jacobian
	coefficients(&u1, &u2, hash, sig)
	vartime.DoubleScalarMult(&R, &u1, &u2, q)
	return vartime.EqualXModN(&R, &sig.r)
}

// coefficients sets u1 = z/s and u2 = r/s, with which R = u1·G + u2·Q.
func coefficients(u1, u2 *scalar.Scalar, hash []byte, sig *Signature) {
	var w scalar.Scalar
	setHash(u1, hash)
	w.InvertVartime(&sig.s)
	u2.Mul(&sig.r, &w)
	u1.Mul(u1, &w)
}
