//ct:public takes public keys, public nonces, messages and partial signatures

package musig

import (
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// NonceSize is the length in bytes of an encoded Nonce.
const NonceSize = 2 * len(Encoded{})

// A Nonce holds the points R1 and R2 of a signer's public nonce, or of the sum of all signers'
// nonces. They are normalized.
type Nonce [2]point.Affine

// Bytes returns the encodings of both points.
func (n *Nonce) Bytes() (b [NonceSize]byte) {
	for i := range n {
		e := Encode(&n[i])
		copy(b[i*len(e):], e[:])
	}
	return b
}

// Aggregate sets n to the sum of count nonces (NonceAgg). at returns the nonce with a given index.
func (n *Nonce) Aggregate(count int, at func(i int) *Nonce) {
	var totals [2]point.Jacobian
	for i := range count {
		for half, p := range at(i) {
			if p != (point.Affine{}) {
				totals[half].AddMixedVartime(&totals[half], &p)
			}
		}
	}
	point.BatchToAffineVartime(n[:], totals[:])
}

// Combine sets r to n[0] + b·n[1].
func (n *Nonce) Combine(r *point.Jacobian, b *scalar.Scalar) {
	r.SetInfinity()
	if n[1] != (point.Affine{}) {
		vartime.ScalarMult(r, b, &n[1])
	}
	if n[0] != (point.Affine{}) {
		r.AddMixedVartime(r, &n[0])
	}
}

// A Session holds the values that all signers of a message compute (GetSessionValues).
type Session struct {
	Key *Key          // the aggregate key
	B   scalar.Scalar // the coefficient b of each signer's second nonce
	R   point.Affine  // the nonce of the signature, normalized
	E   scalar.Scalar // the challenge e of BIP-340
}

// Set sets v to the values for a message. encoded is the encoding of nonce, the sum of all public
// nonces. The message must not change during the call: b and e must be hashes of the same message.
func (v *Session) Set(key *Key, nonce *Nonce, encoded *[NonceSize]byte, msg []byte) {
	v.Key = key
	var x, h [32]byte
	key.Q.X.PutBytes(&x)
	hash.Tagged(&h, "MuSig/noncecoef", encoded[:], x[:], msg)
	v.B.SetBytes(&h)
	var r point.Jacobian
	nonce.Combine(&r, &v.B)
	if !v.R.SetJacobianVartime(&r) {
		v.R.SetGenerator()
	}
	v.R.X.PutBytes(&h)
	hash.Challenge(&h, &h, &x, msg)
	v.E.SetBytes(&h)
}

// Factor sets c to e·g·gacc·a, the factor of the private key of a signer with the coefficient a. g
// is −1 if the aggregate key has an odd y coordinate, and 1 otherwise.
func (v *Session) Factor(c, a *scalar.Scalar) {
	c.Mul(a, &v.E)
	c.CondNeg(c, v.Key.Negated^v.Key.Q.Y.IsOdd())
}

// AddTweak adds e·g·tacc, the part of the accumulated tweak, to s, the sum of all partial
// signatures. The result is the second half of the signature.
func (v *Session) AddTweak(s *scalar.Scalar) {
	var t scalar.Scalar
	t.Mul(&v.E, &v.Key.TAcc)
	t.CondNeg(&t, v.Key.Q.Y.IsOdd())
	s.Add(s, &t)
}

// Holds reports whether s·G = ±r + c·p, where the sign is negative if the nonce v.R of the session
// has an odd y coordinate.
func (v *Session) Holds(s, c *scalar.Scalar, p *point.Affine, r *point.Jacobian) bool {
	var left, right point.Jacobian
	v.Sides(&left, &right, s, c, p, r)
	return left.Equal(&right).Bool()
}

// Sides sets left to s·G − c·p, and right to ±r. The equation of Holds is left = right.
func (v *Session) Sides(
	left, right *point.Jacobian, s, c *scalar.Scalar, p *point.Affine, r *point.Jacobian,
) {
	var negative scalar.Scalar
	negative.Neg(c)
	vartime.DoubleScalarMult(left, s, &negative, p)
	right.CondNeg(r, v.R.Y.IsOdd())
}
