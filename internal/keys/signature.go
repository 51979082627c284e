package keys

import "github.com/koblitz-go/koblitz/internal/scalar"

// A Signature is the underlying type of package ecdsa's Signature: the numbers r and s, both in [1,
// n), or both zero in the zero value.
type Signature struct{ r, s scalar.Scalar }

// Numbers returns pointers to r and s, which only package ecdsa may change. If sig is nil, it
// returns pointers to zeros.
//
//ct:public takes a signature, which is public
func (sig *Signature) Numbers() (r, s *scalar.Scalar) {
	if sig == nil {
		sig = new(Signature)
	}
	return &sig.r, &sig.s
}
