//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// values are the values that all signers of a message compute ("GetSessionValues" of BIP-327).
type values struct {
	key   *aggregate
	b     scalar.Scalar // coefficient of each signer's second nonce
	nonce point.Affine  // the nonce point R of the signature
	e     scalar.Scalar // the challenge of BIP-340
}

// set sets v to the values for a message. nonce is the sum of all public nonces, and points are the
// points that it encodes.
func (v *values) set(
	key *aggregate, nonce *[PubNonceSize]byte, points *noncePair, msg *[32]byte,
) {
	v.key = key
	var h [32]byte
	hash.Tagged(&h, string(NonceBlindTag), nonce[:], xBytes(key.final), msg[:])
	v.b.SetBytes(&h)
	var r point.Jacobian
	points.combine(&r, &v.b)
	if !v.nonce.SetJacobianVartime(&r) {
		v.nonce.SetGenerator()
	}
	v.e = *challenge(secp256k1.FromAffine(&v.nonce), key.final, msg)
}

// challenge returns the challenge of BIP-340 for a nonce, a key and a message.
func challenge(nonce, key *secp256k1.PublicKey, msg *[32]byte) *scalar.Scalar {
	var h [32]byte
	hash.Tagged(&h, string(ChallengeHashTag), xBytes(nonce), xBytes(key), msg[:])
	return hashed(&h)
}

// combine sets r to n[0] + b·n[1], the sum of the two halves of the nonce.
func (n *noncePair) combine(r *point.Jacobian, b *scalar.Scalar) {
	r.SetInfinity()
	if n[1].finite {
		vartime.ScalarMult(r, b, &n[1].Affine)
	}
	if n[0].finite {
		r.AddMixedVartime(r, &n[0].Affine)
	}
}

// factor returns the factor of a signer's private key in its partial signature: the challenge e
// times the coefficient of the signer's public key. The factor is negated if exactly one of these
// is true: the accumulated sign gacc is −1, or the final key has an odd y.
func (v *values) factor(all []encoded, signer *encoded) *scalar.Scalar {
	c := v.key.coefficient(all, signer)
	c.Mul(c, &v.e)
	return c.CondNeg(c, choice(v.key.negated != hasOddY(v.key.final)))
}

// holds reports whether s·G = ±r + c·p, where the sign of r is negative if the nonce point R has an
// odd y coordinate.
func (v *values) holds(s, c *scalar.Scalar, p *point.Affine, r *point.Jacobian) bool {
	var negative scalar.Scalar
	negative.Neg(c)
	var sum, signed point.Jacobian
	vartime.DoubleScalarMult(&sum, s, &negative, p)
	signed.CondNeg(r, v.nonce.Y.IsOdd())
	return sum.Equal(&signed).Bool()
}

// holdsFor reports whether s·G = ±r + c·signer, where the sign of r is negative if the nonce point
// R has an odd y coordinate. An r of (0, 0) represents infinity.
func (v *values) holdsFor(
	s, c *scalar.Scalar, signer *secp256k1.PublicKey, r *point.Affine,
) bool {
	p, onCurve := affine(signer)
	var j point.Jacobian
	if r.IsOnCurve().Bool() {
		j.SetAffine(r)
	}
	return onCurve && v.holds(s, c, &p, &j)
}
