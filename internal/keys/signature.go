package keys

import "github.com/koblitz-go/koblitz/internal/scalar"

// A Signature is what package ecdsa declares its Signature from: the numbers r and s, both in
// [1, n), or both zero in the zero value.
type Signature struct{ r, s scalar.Scalar }

// Numbers returns r and s, which only package ecdsa may change. They are zero if sig is nil.
//
//ct:public takes a signature, which is public
func (sig *Signature) Numbers() (r, s *scalar.Scalar) {
	if sig == nil {
		sig = new(Signature)
	}
	return &sig.r, &sig.s
}
