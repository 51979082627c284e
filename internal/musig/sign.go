package musig

import "github.com/koblitz-go/koblitz/internal/scalar"

// Sign sets s to the partial signature ±(k1 + b·k2) + c·d, where the sign is negative if R has an
// odd y coordinate. d is the private key, and c is its factor, from the method Factor. The partial
// signature becomes public. Sign leaves secrets on the stack.
func (v *Session) Sign(s *scalar.Scalar, k *SecretPair, d, c *scalar.Scalar) {
	//ct:secret k[0].IsOdd().Bool()
	var r, product scalar.Scalar
	k.Combine(&r, &v.B)
	r.CondNeg(&r, v.R.Y.IsOdd())
	product.Mul(d, c)
	r.Add(&r, &product)
	r.Declassify()
	s.Set(&r)
	//ct:secret product.IsHigh().Bool()
	product.Wipe()
}

// Combine sets r to k1 + b·k2. It leaves secrets on the stack.
func (k *SecretPair) Combine(r, b *scalar.Scalar) {
	var product scalar.Scalar
	product.Mul(&k[1], b)
	r.Add(&k[0], &product)
	//ct:secret r.IsHigh().Bool()
	product.Wipe()
}

// AnyZero reports whether k1 or k2 is 0, which becomes public. Signing with such a nonce is
// refused.
func (k *SecretPair) AnyZero() bool {
	//ct:secret k[1].IsOdd().Bool()
	return (k[0].IsZero() | k[1].IsZero()).Reveal()
}
