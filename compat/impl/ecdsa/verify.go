package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Verify reports whether sig is a signature of the hash by the key (SEC 1 version 2, section
// 4.1.4). Of the hash the first 32 bytes count; fewer are a number too. A high s is as good
// as a low one. The time depends on all three.
func (sig *Signature) Verify(digest []byte, pubKey *secp256k1.PublicKey) bool {
	r, s := sig.numbers()
	if (r.IsZero() | s.IsZero()).Bool() {
		return false
	}
	var q secp256k1.JacobianPoint
	pubKey.AsJacobian(&q)
	a := affine(&q)
	if !a.IsOnCurve().Bool() {
		return false
	}

	// R = z/s·G + r/s·Q
	var w, z, u scalar.Scalar
	setHash(&z, digest)
	w.InvertVartime(s)
	z.Mul(&z, &w)
	u.Mul(r, &w)
	var R point.Jacobian
	vartime.DoubleScalarMult(&R, &z, &u, &a)
	return vartime.EqualXModN(&R, r)
}

// affine returns p, of which Z is 1.
func affine(p *secp256k1.JacobianPoint) point.Affine {
	return point.Affine{X: field.Element(p.X), Y: field.Element(p.Y)}
}

// setHash sets z to the number that is signed (SEC 1 version 2, section 4.1.3, step 5).
func setHash(z *scalar.Scalar, digest []byte) {
	var b [32]byte
	hash.Leftmost(&b, digest)
	z.SetBytes(&b)
}

// The bytes of a compact signature: one of 27 to 34, r, s. The first is 27, the recovery
// id, and 4 more if the key is to be encoded in compressed form.
const (
	compactSize       = 65
	compactFirst      = 27
	compactCompressed = 4
	compactLast       = compactFirst + compactCompressed + 3
)

// RecoverCompact returns the public key under which the compact signature is one of the hash
// (SEC 1 version 2, section 4.1.6), and whether its first byte says that the key is to be
// encoded in compressed form. There is an [Error] if it is no signature, or if there is no
// key. The time depends on both.
func RecoverCompact(signature, digest []byte) (*secp256k1.PublicKey, bool, error) {
	if len(signature) != compactSize {
		return nil, false, failure(ErrSigInvalidLen,
			"malformed signature: wrong size: %d != %d", len(signature), compactSize)
	}
	code := signature[0]
	if code < compactFirst || code > compactLast {
		return nil, false, failure(ErrSigInvalidRecoveryCode, "invalid signature: "+
			"public key recovery code %d is not in the valid range [%d, %d]",
			code, compactFirst, compactLast)
	}
	code -= compactFirst
	var sig Signature
	rNames, sNames := rPart(), sPart()
	if err := rNames.set(&sig.r, signature[1:33]); err != nil {
		return nil, false, err
	}
	if err := sNames.set(&sig.s, signature[33:]); err != nil {
		return nil, false, err
	}

	// R is the point of the nonce, of which r is x mod n.
	r, s := sig.numbers()
	var x field.Element
	l := r.Limbs()
	x.SetLimbs(l[0], l[1], l[2], l[3])
	if code&2 != 0 && !vartime.AddOrder(&x, r) {
		return nil, false, failure(ErrSigOverflowsPrime, "invalid signature: signature R + N >= P")
	}
	var R point.Affine
	if !R.LiftXVartime(&x, ct.Choice(code&1)).Bool() {
		return nil, false, failure(ErrPointNotOnCurve,
			"invalid signature: not for a valid curve point")
	}

	// Q = (s·R − z·G)/r
	var w, z, u scalar.Scalar
	setHash(&z, digest)
	w.InvertVartime(r)
	z.Mul(&z, &w)
	z.Neg(&z)
	u.Mul(s, &w)
	var Q point.Jacobian
	vartime.DoubleScalarMult(&Q, &z, &u, &R)
	var a point.Affine
	if !a.SetJacobianVartime(&Q) {
		return nil, false, failure(ErrPointNotOnCurve,
			"invalid signature: recovered pubkey is the point at infinity")
	}
	key := secp256k1.NewPublicKey((*secp256k1.FieldVal)(&a.X), (*secp256k1.FieldVal)(&a.Y))
	return key, code&compactCompressed != 0, nil
}
