package dsa

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Sign sets r and s, which is low, to the signature of the number z by the key d (section
// 4.1.3), with the first nonce of RFC 6979 that gives one, and returns its recovery id: bit 0
// is 1 if the y coordinate of the nonce point that belongs to this s is odd, bit 1 if its x
// coordinate is r + n. The nonces are derived from the key, the message and the entropy.
//
// d and z are not both zero, for then there is no signature. The blinding may be nil. The time
// depends on the length of the entropy alone. Sign leaves secrets on the stack: its caller
// runs inside of secret.Do, and wipes d.
func Sign(
	r, s *scalar.Scalar, blinding *ecmult.Blinding, d, z *scalar.Scalar, message *[32]byte,
	entropy []byte,
) (id byte) {
	var nonce scalar.Scalar
	var candidate [32]byte
	d.PutBytes(&candidate)
	var nonces hash.Nonces
	nonces.Init(&candidate, message, entropy)
	for ok := false; !ok; {
		nonces.Next(&candidate)
		//ct:leak candidate[0] == 0
		// A candidate is refused once in 2¹²⁷ times. That becomes public, and says
		// nothing about the next candidate.
		if nonce.SetNonzeroBytes(&candidate).Reveal() {
			id, ok = SignWith(r, s, blinding, d, z, &nonce)
		}
	}
	nonce.Wipe()
	nonces.Wipe()
	ct.Wipe(candidate[:])
	return id
}

// SignWith is Sign with a nonce in [1, n), which it overwrites. If r or s is zero, ok is false:
// another nonce must be tried.
func SignWith(
	r, s *scalar.Scalar, blinding *ecmult.Blinding, d, z, nonce *scalar.Scalar,
) (id byte, ok bool) {
	//ct:leak nonce.IsHigh().Bool()
	var R point.Affine
	blinding.ScalarBaseMultAffine(&R, nonce)
	R.X.Declassify() // r, and whether it was reduced, are in what is returned
	var x [32]byte
	R.X.PutBytes(&x)
	overflow := r.SetBytes(&x).Not()

	// s = (z + r·d)/k
	var sum scalar.Scalar
	sum.Mul(r, d)
	sum.Add(&sum, z)
	nonce.Invert(nonce)
	sum.Mul(&sum, nonce)
	high := sum.IsHigh()
	//ct:leak high.Bool()
	s.CondNeg(&sum, high)
	s.Declassify()
	// odd is the parity of the R that belongs to the low s, which every verification
	// computes. The parity of the other R stays secret, and with it which of s and
	// n - s came out first.
	odd := (R.Y.IsOdd() ^ high).Reveal()
	R.Wipe()
	sum.Wipe()
	id = byte(overflow) << 1
	if odd {
		id |= 1
	}
	return id, !anyZero(r, s)
}

// anyZero returns whether one of the numbers of a signature is zero, as none may be. Both are
// public.
func anyZero(r, s *scalar.Scalar) bool { return (r.IsZero() | s.IsZero()).Bool() }
