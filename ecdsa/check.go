package ecdsa

import (
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// check reports whether a signature that was just made verifies under the
// signer's own public key, with a low s. All its arguments are public.
func check(key *keys.Public, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && verify(key.Affine(), hash, sig)
}

// checkRecoverable is check, and whether id is the recovery id: whether the R of
// the verification equation has the r and the id that it should have.
func checkRecoverable(key *keys.Public, hash []byte, sig *Signature, id byte) bool {
	q := key.Affine()
	if q == nil || !sig.IsLowS() {
		return false
	}
	var u1, u2, r scalar.Scalar
	var R point.Jacobian
	coefficients(&u1, &u2, hash, sig)
	vartime.DoubleScalarMult(&R, &u1, &u2, q)
	var a point.Affine
	if !a.SetJacobianVartime(&R) {
		return false
	}
	var x [32]byte
	a.X.PutBytes(&x)
	want := byte(r.SetBytes(&x).Not()<<1 | a.Y.IsOdd())
	return r.Equal(&sig.r).Bool() && id == want
}
