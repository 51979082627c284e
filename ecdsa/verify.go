package ecdsa

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/dsa"
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
//
//ct:public verifies what is public
func Verify(key *koblitz.PublicKey, hash []byte, sig *Signature) bool {
	return verify((*keys.Public)(key).Affine(), nil, hash, sig)
}

// VerifyLowS is Verify for low s alone: it is false if s is above n/2, as the
// policy of Bitcoin (BIP-146) and the rules of Ethereum (EIP-2) have it.
//
//ct:public verifies what is public
func VerifyLowS(key *koblitz.PublicKey, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && Verify(key, hash, sig)
}

// VerifyPrepared is Verify for a prepared key: the same verdict, sooner. It
// does not allocate.
//
//ct:public verifies what is public
func VerifyPrepared(key *koblitz.PreparedKey, hash []byte, sig *Signature) bool {
	k := (*keys.Prepared)(key)
	return verify(k.Affine(), k.Table(), hash, sig)
}

// VerifyPreparedLowS is VerifyPrepared for low s alone, as VerifyLowS is Verify.
//
//ct:public verifies what is public
func VerifyPreparedLowS(key *koblitz.PreparedKey, hash []byte, sig *Signature) bool {
	return sig.IsLowS() && VerifyPrepared(key, hash, sig)
}

// verify is Verify under the key q, which is nil or a point of the curve, of which t is the
// table, or nil.
//
//ct:public verifies what is public
func verify(q *point.Affine, t *vartime.SplitTable, hash []byte, sig *Signature) bool {
	if q == nil || tooShort(hash) || sig.IsZero() {
		return false
	}
	var z scalar.Scalar
	dsa.SetHash(&z, hash)
	return dsa.Verify(&sig.r, &sig.s, &z, q, t)
}
