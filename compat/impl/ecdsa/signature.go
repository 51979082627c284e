//ct:public takes signatures, which are public

package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Signature is a pair of scalars r and s. It can be compared with ==. The zero value is not a
// valid signature of any hash.
type Signature struct {
	r, s secp256k1.ModNScalar
}

// NewSignature returns the signature (r, s). It accepts any r and s.
func NewSignature(r, s *secp256k1.ModNScalar) *Signature { return &Signature{*r, *s} }

// R returns the number r of the signature.
func (sig *Signature) R() secp256k1.ModNScalar { return sig.r }

// S returns the number s of the signature.
func (sig *Signature) S() secp256k1.ModNScalar { return sig.s }

// IsEqual reports whether both signatures have the same r and s. It returns false if one has n − s
// in place of the other's s.
func (sig *Signature) IsEqual(otherSig *Signature) bool { return *sig == *otherSig }

// numbers returns r and s as scalars of package scalar.
func (sig *Signature) numbers() (r, s *scalar.Scalar) {
	return (*scalar.Scalar)(&sig.r), (*scalar.Scalar)(&sig.s)
}
