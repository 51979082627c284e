package dsa

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// SetHash sets z to the number that ECDSA signs for a hash of any length, modulo n: the first 32
// bytes of the hash, big-endian (section 4.1.3, step 5). The time depends only on the length.
func SetHash(z *scalar.Scalar, digest []byte) {
	var b [32]byte
	hash.Leftmost(&b, digest)
	z.SetBytes(&b)
}

// Sign sets r and s to the signature of the number z by the key d (section 4.1.3), with a low s. It
// derives nonces from the key, the message and the entropy (RFC 6979), and uses the first that
// gives a signature. It returns the recovery id: bit 0 is 1 if the nonce point for this s has an
// odd y coordinate, and bit 1 is 1 if its x coordinate is r + n.
//
// d and z must not both be zero, because then there is no signature. The blinding may be nil. The
// time depends only on the length of the entropy. Sign leaves secrets on the stack, so its caller
// must run inside secret.DoDeep. The caller also wipes d.
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
		// About one candidate in 2¹²⁷ is not in [1, n) and so refused. A refusal becomes public; it
		// reveals nothing about the next candidate.
		if nonce.SetNonzeroBytes(&candidate).Reveal() {
			id, ok = SignWith(r, s, blinding, d, z, &nonce)
		}
	}
	nonce.Wipe()
	nonces.Wipe()
	ct.Wipe(candidate[:])
	return id
}

// SignWith works like Sign, with a given nonce in [1, n), which it overwrites. If r or s is zero,
// ok is false, and the caller must try another nonce.
func SignWith(
	r, s *scalar.Scalar, blinding *ecmult.Blinding, d, z, nonce *scalar.Scalar,
) (id byte, ok bool) {
	//ct:leak nonce.IsHigh().Bool()
	var R point.Affine
	var j point.Jacobian
	blinding.ScalarBaseMult(&j, nonce)
	R.SetJacobianInvert(&j, nonce)
	j.Wipe()
	return Finish(r, s, d, z, nonce, &R)
}

// Finish works like SignWith, with the inverse of the nonce and the point R = nonce·G, which it
// overwrites with zeros.
func Finish(
	r, s, d, z, inverse *scalar.Scalar, R *point.Affine,
) (id byte, ok bool) {
	//ct:leak inverse.IsOdd().Bool()
	R.X.Declassify() // r and the recovery id, which are public, reveal R.X
	var x [32]byte
	R.X.PutBytes(&x)
	overflow := r.SetBytes(&x).Not()

	// The second number of the signature is s = (z + r·d)/k, where k is the nonce.
	var sum scalar.Scalar
	sum.Mul(r, d)
	sum.Add(&sum, z)
	sum.Mul(&sum, inverse)
	high := sum.IsHigh()
	//ct:leak high.Bool()
	s.CondNeg(&sum, high)
	s.Declassify()
	// odd is the parity of the nonce point that verification with the low s computes. The
	// parity of nonce·G stays secret, and so does whether s was negated.
	odd := (R.Y.IsOdd() ^ high).Reveal()
	R.Wipe()
	sum.Wipe()
	id = byte(overflow) << 1
	if odd {
		id |= 1
	}
	return id, !anyZero(r, s)
}

// anyZero reports whether r or s is zero, which is not allowed. Both are public.
func anyZero(r, s *scalar.Scalar) bool { return (r.IsZero() | s.IsZero()).Bool() }
