//ct:public verifies signatures, which are public

package schnorr

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Verify reports whether sig is a signature of msg by the key ("Verification" of BIP-340). It
// returns false if the key is nil or a zero value, if sig is not 64 bytes long, if its first half
// is not below p, or if its second half is not below n.
//
// The time depends on all arguments. Verify does not allocate.
func Verify(key *koblitz.XOnlyPublicKey, msg, sig []byte) bool {
	if len(sig) != 64 {
		return false
	}
	return verify((*keys.XOnly)(key).Affine(), msg, (*[64]byte)(sig))
}

// VerifyPrepared works like Verify, with a prepared key. It returns the same verdict in less time,
// and does not allocate. If the key was prepared from a [koblitz.PublicKey], the verdict is that of
// Verify under its XOnlyPublicKey.
func VerifyPrepared(key *koblitz.PreparedKey, msg, sig []byte) bool {
	if key == nil || len(sig) != 64 {
		return false
	}
	k := keys.Prepared(*key) // the key that is hashed must be the key that is multiplied
	Q := k.Affine()
	if Q == nil {
		return false
	}
	var x field.Element
	var s, e scalar.Scalar
	if !parse(&x, &s, &e, Q, msg, (*[64]byte)(sig)) {
		return false
	}
	// BIP-340 verifies under the point P with an even y: -Q if the y of Q is odd.
	e.CondNeg(&e, Q.Y.IsOdd().Not())
	var j point.Jacobian
	vartime.DoubleScalarMultPrepared(&j, &s, &e, Q, k.Table())
	return vartime.EvenWithX(&j, &x)
}

// verify does the work of Verify under the key P, which is a point of the curve with an even y
// coordinate, or nil.
func verify(P *point.Affine, msg []byte, sig *[64]byte) bool {
	if P == nil {
		return false
	}
	own := *P // the key that is hashed must be the key that is multiplied
	var x field.Element
	var s, e scalar.Scalar
	if !parse(&x, &s, &e, &own, msg, sig) {
		return false
	}
	e.Neg(&e)
	var j point.Jacobian
	vartime.DoubleScalarMult(&j, &s, &e, &own)
	return vartime.EvenWithX(&j, &x)
}

// parse sets x and s to the halves of sig, and e to the challenge for the key P. It returns false
// if a half is out of range. The challenge is the hash of x, not of another read of sig: with two
// reads, whoever can change sig during the call could make a signature without the private key.
func parse(x *field.Element, s, e *scalar.Scalar, P *point.Affine, msg []byte, sig *[64]byte) bool {
	if !x.SetBytes((*[32]byte)(sig[:32])).Bool() || !s.SetBytes((*[32]byte)(sig[32:])).Bool() {
		return false
	}
	var r, b [32]byte
	x.PutBytes(&r)
	P.X.PutBytes(&b)
	hash.Challenge(&b, &r, &b, msg)
	e.SetBytes(&b)
	return true
}

// check reports whether a new signature verifies under the signer's public key. All arguments are
// public.
func check(key *keys.Public, msg []byte, sig *[64]byte) bool {
	a := key.Affine()
	if a == nil {
		return false
	}
	var even keys.XOnly
	even.SetAffine(a)
	return verify(even.Affine(), msg, sig)
}
