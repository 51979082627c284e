//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// values are the values that all signers of a message compute.
type values struct {
	musig.Session
	key *aggregate
}

// newValues returns the values for a message. nonce is the sum of all public nonces, and points are
// the points that it encodes.
func newValues(
	key *aggregate, nonce *[PubNonceSize]byte, points *musig.Nonce, msg *[32]byte,
) *values {
	v := &values{key: key}
	v.Session.Set(&key.key, points, nonce, msg[:])
	return v
}

// challenge returns the challenge of BIP-340 for a nonce, a key and a message.
func challenge(nonce, key *secp256k1.PublicKey, msg *[32]byte) *scalar.Scalar {
	var h [32]byte
	hash.Challenge(&h, (*[32]byte)(xBytes(nonce)), (*[32]byte)(xBytes(key)), msg[:])
	e := new(scalar.Scalar)
	e.SetBytes(&h)
	return e
}

// factor returns the factor of a signer's private key in its partial signature.
func (v *values) factor(all []encoded, signer *encoded) *scalar.Scalar {
	c := new(scalar.Scalar)
	v.key.coefficient(c, all, signer)
	v.Factor(c, c)
	return c
}
