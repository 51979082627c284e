//ct:public verifies signatures, which are public

package schnorr

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Verify reports whether sig is a signature of a 32-byte message by the key ("Verification" of
// BIP-340). Only the x coordinate of pubKey is used: Verify verifies under the point with this x
// and an even y, even if pubKey is not on the curve. The running time depends on all arguments.
// Verify does not allocate.
func (sig *Signature) Verify(message []byte, pubKey *secp256k1.PublicKey) bool {
	P := secp256k1.Affine(pubKey) // panics if pubKey is nil, as in the replaced package
	if len(message) != messageSize {
		return false
	}
	if P.IsOnCurve().Bool() {
		P.CondNeg(&P, P.Y.IsOdd())
	} else if x := P.X; !P.LiftXVartime(&x, 0).Bool() {
		return false
	}
	own := *sig // the nonce that is hashed must be the nonce that is compared
	return own.verify(message, &P)
}

// verify does the work of Verify, for a message of 32 bytes and a point P of the curve with an even
// y.
func (sig *Signature) verify(message []byte, P *point.Affine) bool {
	var rx, px [32]byte
	sig.r.PutBytes(&rx)
	P.X.PutBytes(&px)
	hash.Challenge(&px, &rx, &px, message)
	var e scalar.Scalar
	e.SetBytes(&px)
	e.Neg(&e)
	var j point.Jacobian
	vartime.DoubleScalarMult(&j, (*scalar.Scalar)(&sig.s), &e, P)
	return vartime.EvenWithX(&j, (*field.Element)(&sig.r))
}
