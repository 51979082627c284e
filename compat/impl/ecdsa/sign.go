package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// Sign returns a signature of the hash by the key, with the nonce that NonceRFC6979 of
// package secp256k1 returns and a low s (SEC 1 version 2, section 4.1.3). Of the hash the first
// 32 bytes count; fewer are a number too. The time depends on the hash's length alone.
func Sign(key *secp256k1.PrivateKey, digest []byte) *Signature {
	sig := new(Signature)
	sig.sign(key, digest)
	return sig
}

// SignCompact returns the signature that Sign returns in 65 bytes, from which RecoverCompact
// makes the public key: a byte that is 27, the recovery id, and 4 more if isCompressedKey is
// true; r and s, big-endian.
func SignCompact(key *secp256k1.PrivateKey, digest []byte, isCompressedKey bool) []byte {
	var sig Signature
	b := make([]byte, compactSize)
	b[0] = compactFirst + sig.sign(key, digest)
	if isCompressedKey {
		b[0] += compactCompressed
	}
	sig.r.PutBytesUnchecked(b[1:])
	sig.s.PutBytesUnchecked(b[33:])
	return b
}

// sign sets sig to the signature, and returns its recovery id.
func (sig *Signature) sign(key *secp256k1.PrivateKey, digest []byte) (id byte) {
	secret.Do(func() { id = sig.signInside(key, digest) })
	return id
}

// signInside is sign, and leaves secrets on the stack.
func (sig *Signature) signInside(key *secp256k1.PrivateKey, digest []byte) (id byte) {
	var d, z, nonce scalar.Scalar
	d.Set((*scalar.Scalar)(&key.Key))
	var candidate, message [32]byte
	d.PutBytes(&candidate)
	hash.Leftmost(&message, digest)
	z.SetBytes(&message)
	if (d.IsZero() & z.IsZero()).Reveal() {
		return 0 // every s would be 0
	}
	var nonces hash.Nonces
	nonces.Init(&candidate, &message, hash.PiecesOf(nil))
	for ok := false; !ok; {
		nonces.Next(&candidate)
		// A candidate is refused once in 2¹²⁷ times. That becomes public, and says
		// nothing about the next candidate.
		if nonce.SetNonzeroBytes(&candidate).Reveal() {
			id, ok = sig.signWith(&d, &z, &nonce)
		}
	}
	d.Wipe()
	nonce.Wipe()
	nonces.Wipe()
	ct.Wipe(candidate[:])
	return id
}

// signWith sets sig to the signature of z by the key d with a nonce in [1, n), which it
// overwrites, and returns its recovery id. ok is false if r or s is 0, and another nonce
// must be tried.
func (sig *Signature) signWith(d, z, nonce *scalar.Scalar) (id byte, ok bool) {
	var R point.Affine
	(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&R, nonce)
	R.X.Declassify() // r, and whether it was reduced, are in what is returned
	var x [32]byte
	R.X.PutBytes(&x)
	r, s := sig.numbers()
	overflow := r.SetBytes(&x).Not()

	// s = (z + r·d)/k
	var sum scalar.Scalar
	sum.Mul(r, d)
	sum.Add(&sum, z)
	nonce.Invert(nonce)
	sum.Mul(&sum, nonce)
	high := sum.IsHigh()
	s.CondNeg(&sum, high)
	s.Declassify()
	// odd is the parity of the R that belongs to the low s. That of the other R stays secret.
	odd := (R.Y.IsOdd() ^ high).Reveal()
	R.Wipe()
	sum.Wipe()
	id = byte(overflow) << 1
	if odd {
		id |= 1
	}
	return id, !(r.IsZero() | s.IsZero()).Bool()
}
