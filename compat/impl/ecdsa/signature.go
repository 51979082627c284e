package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Signature is a pair of scalars r and s. It can be compared with ==. The zero value
// verifies nothing.
type Signature struct {
	r, s secp256k1.ModNScalar
}

// NewSignature returns the signature (r, s), whatever they are.
//
//ct:public takes a signature, which is public
func NewSignature(r, s *secp256k1.ModNScalar) *Signature { return &Signature{*r, *s} }

// R returns r.
//
//ct:public takes a signature, which is public
func (sig *Signature) R() secp256k1.ModNScalar { return sig.r }

// S returns s.
//
//ct:public takes a signature, which is public
func (sig *Signature) S() secp256k1.ModNScalar { return sig.s }

// IsEqual reports whether the signatures are the same. One with n − s is another.
//
//ct:public takes a signature, which is public
func (sig *Signature) IsEqual(otherSig *Signature) bool { return *sig == *otherSig }

// numbers returns r and s as packages below have them.
func (sig *Signature) numbers() (r, s *scalar.Scalar) {
	return (*scalar.Scalar)(&sig.r), (*scalar.Scalar)(&sig.s)
}
