package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// Sign returns a signature of the hash by the key, with the nonce of secp256k1.NonceRFC6979 and a
// low s (SEC 1 version 2, section 4.1.3). Only the first 32 bytes of the hash are used, and it may
// be shorter. The running time depends only on the length of the hash.
func Sign(key *secp256k1.PrivateKey, digest []byte) *Signature {
	sig := new(Signature)
	sig.sign(key, digest)
	return sig
}

// SignCompact returns the signature of Sign in 65 bytes, from which RecoverCompact recovers the
// public key. The first byte is 27 plus the recovery id, plus 4 if isCompressedKey is set. After it
// come r and s, 32 bytes each, big-endian.
func SignCompact(key *secp256k1.PrivateKey, digest []byte, isCompressedKey bool) []byte {
	//ct:secret isCompressedKey && key.Key.IsOverHalfOrder()
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

// sign sets sig to the signature of the hash digest by the key, and returns the recovery id.
func (sig *Signature) sign(key *secp256k1.PrivateKey, digest []byte) (id byte) {
	//ct:secret len(digest) == 33 && key.Key.IsOdd()
	secret.DoDeep(func() { id = sig.signInside(key, digest) })
	return id
}

// signInside does the work of the method sign. It leaves secrets on the stack.
func (sig *Signature) signInside(key *secp256k1.PrivateKey, digest []byte) (id byte) {
	// Read the digest and the key once: the nonce and the equation must be for the same numbers.
	var d, z scalar.Scalar
	var message [32]byte
	d.Set((*scalar.Scalar)(&key.Key))
	hash.Leftmost(&message, digest)
	z.SetBytes(&message)
	//ct:secret d.IsOdd().Bool()
	if (d.IsZero() & z.IsZero()).Reveal() {
		return 0 // there is no signature: every s would be 0
	}
	r, s := sig.numbers()
	id = dsa.Sign(r, s, nil, &d, &z, &message, nil)
	//ct:secret d.IsHigh().Bool()
	d.Wipe()
	return id
}
