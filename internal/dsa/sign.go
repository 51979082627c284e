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
// d and z must not both be zero: every s would be 0, and Sign would not return. Keys are never
// zero. The blinding may be nil. The time depends only on the length of the entropy. Sign leaves
// secrets on the stack, so its caller must run inside secret.DoDeep. The caller also wipes d.
func Sign(
	r, s *scalar.Scalar, blinding *ecmult.Blinding, d, z *scalar.Scalar, message *[32]byte,
	entropy []byte,
) (id byte) {
	g := Signing{D: *d, Z: *z}
	g.Sign(blinding, message, entropy)
	*r, *s, id = g.R, g.S, g.ID
	g.Wipe()
	return id
}

// A Signing holds the values of Sign. They stay in it from step to step, so that TestFault can
// change them between any two steps.
type Signing struct {
	D, Z scalar.Scalar // the key, and the number that is signed
	R, S scalar.Scalar // the signature
	ID   byte          // its recovery id

	message [32]byte // the message that the nonce is derived from
	nonces  hash.Nonces
	k       scalar.Scalar // the nonce, and after the method multiply its inverse
	point   point.Affine  // the nonce times G
}

// Sign does the work of the function Sign for g.D and g.Z.
func (g *Signing) Sign(blinding *ecmult.Blinding, message *[32]byte, entropy []byte) {
	g.seed(message, entropy)
	for ok := false; !ok; {
		if g.derive() {
			g.multiply(blinding)
			ok = g.finish()
		}
	}
}

// seed begins the sequence of candidates for the nonce.
func (g *Signing) seed(message *[32]byte, entropy []byte) {
	var b [32]byte
	g.D.PutBytes(&b)
	g.message = *message
	g.nonces.Init(&b, &g.message, entropy)
	ct.Wipe(b[:])
}

// derive sets g.k to the next candidate for the nonce, and reports whether it is in [1, n). About
// one in 2¹²⁷ is not. A refusal becomes public; it reveals nothing about the next candidate.
func (g *Signing) derive() bool {
	var b [32]byte
	g.nonces.Next(&b)
	//ct:secret b[0] == 0
	ok := g.k.SetNonzeroBytes(&b).Reveal()
	ct.Wipe(b[:])
	return ok
}

// multiply sets g.point to the nonce times G, and inverts the nonce. The point is finite, because
// the nonce is in [1, n).
func (g *Signing) multiply(blinding *ecmult.Blinding) {
	var j point.Jacobian
	blinding.ScalarBaseMult(&j, &g.k)
	g.point.SetJacobianInvert(&j, &g.k)
	j.Wipe()
}

// finish computes the signature. It returns false if another nonce must be tried.
func (g *Signing) finish() (ok bool) {
	g.ID, ok = Finish(&g.R, &g.S, &g.D, &g.Z, &g.k, &g.point)
	return ok
}

// SameNonce reports whether the nonce that signed is the result of its derivation, from message.
//
// Verification does not see a fault that changed the nonce between its derivation and its
// multiplication by G, or that changed the message before the derivation: the signature is valid.
// But it reveals the key beside the signature that the same call makes without a fault, or beside
// one of the other message. A fault within the derivation is harmless: it gives the output of HMAC
// for other inputs, which is unrelated to every other nonce.
func (g *Signing) SameNonce(message *[32]byte) bool {
	var b [32]byte
	var k, one scalar.Scalar
	g.nonces.Again(&b)
	k.SetBytes(&b)
	k.Mul(&k, &g.k)
	same := k.Equal(one.One()).Reveal()
	ct.Wipe(b[:])
	k.Wipe()
	return same && g.message == *message
}

// Wipe overwrites g with zeros.
//
//go:noinline
func (g *Signing) Wipe() { *g = Signing{} }

// Finish works like Sign, with the inverse of a nonce and the point R = nonce·G, which it
// overwrites with zeros. If r or s is zero, ok is false, and the caller must try another nonce.
func Finish(
	r, s, d, z, inverse *scalar.Scalar, R *point.Affine,
) (id byte, ok bool) {
	//ct:secret inverse.IsOdd().Bool()
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
	//ct:secret high.Bool()
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
