//ct:public verifies signatures, which are public

package ecdsa

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Verify reports whether sig is a signature of the hash by the key (SEC 1 version 2, section
// 4.1.4). It accepts a high s as well as a low s. It returns false if the key or the signature is
// nil or a zero value, or if the hash is shorter than 20 bytes. It reads only the first 32 bytes of
// a longer hash; the package documentation explains the lengths of hashes.
//
// The time depends on all arguments. Verify does not allocate.
func Verify(key *koblitz.PublicKey, hash []byte, sig *Signature) bool {
	return verify((*keys.Public)(key).Affine(), nil, hash, sig)
}

// VerifyLowS works like Verify, but accepts only a low s: it returns false if s is above n/2, as
// the policy of Bitcoin (BIP-146) and the rules of Ethereum (EIP-2) demand.
func VerifyLowS(key *koblitz.PublicKey, hash []byte, sig *Signature) bool {
	own := sig.own() // the s that is compared must be the s that verifies
	return own.IsLowS() && Verify(key, hash, &own)
}

// VerifyPrepared works like Verify, with a prepared key. It returns the same verdict in less time,
// and does not allocate.
func VerifyPrepared(key *koblitz.PreparedKey, hash []byte, sig *Signature) bool {
	k := (*keys.Prepared)(key)
	return verify(k.Affine(), k.Table(), hash, sig)
}

// VerifyPreparedLowS works like VerifyPrepared, but accepts only a low s, like VerifyLowS.
func VerifyPreparedLowS(key *koblitz.PreparedKey, hash []byte, sig *Signature) bool {
	own := sig.own() // as in VerifyLowS
	return own.IsLowS() && VerifyPrepared(key, hash, &own)
}

// verify does the work of Verify under the key q, which is a point of the curve or nil. t is the
// split wNAF table of q, or nil.
func verify(q *point.Affine, t *vartime.SplitTable, hash []byte, sig *Signature) bool {
	own := sig.own() // the r that is multiplied must be the r that is compared
	if q == nil || tooShort(hash) || own.IsZero() {
		return false
	}
	var z scalar.Scalar
	dsa.SetHash(&z, hash)
	r, s := own.numbers()
	return dsa.Verify(r, s, &z, q, t)
}

// check reports whether a new signature verifies under the signer's public key, with a low s. All
// arguments are public.
func check(key *keys.Public, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && verify(key.Affine(), nil, hash, sig)
}

// checkRecoverable works like the function check, for a signature with a recovery id. It also
// returns false if id is wrong: if the point R of the verification equation does not have the r and
// the id of the signature.
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
