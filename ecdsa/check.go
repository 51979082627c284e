package ecdsa

import (
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// check reports whether a signature that was just made verifies under the
// signer's own public key, with a low s. All its arguments are public.
func check(key *keys.Public, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && verify(key.Affine(), nil, hash, sig)
}

// checkRecoverable is check, and whether id is the recovery id: whether the R of
// the verification equation has the r and the id that it should have.
//
//ct:public verifies what is public
func checkRecoverable(key *keys.Public, hash []byte, sig *Signature, id byte) bool {
	q := key.Affine()
	if q == nil || !sig.IsLowS() {
		return false
	}
	var z scalar.Scalar
	dsa.SetHash(&z, hash)
	return dsa.VerifyRecoverable(&sig.r, &sig.s, &z, q, id)
}
