//ct:public verifies signatures, which are public

package ecdsa

import (
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// check reports whether a new signature verifies under the signer's public key, with a low s. All
// arguments are public.
func check(key *keys.Public, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && verify(key.Affine(), nil, hash, sig)
}

// checkRecoverable works like check, for a signature with a recovery id. It also returns false if
// id is wrong: if the point R of the verification equation does not have the r and the id of the
// signature.
func checkRecoverable(key *keys.Public, hash []byte, sig *Signature, id byte) bool {
	q := key.Affine()
	if q == nil || !sig.IsLowS() {
		return false
	}
	var z scalar.Scalar
	dsa.SetHash(&z, hash)
	r, s := sig.numbers()
	return dsa.VerifyRecoverable(r, s, &z, q, id)
}
