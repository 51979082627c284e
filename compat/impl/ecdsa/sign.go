package ecdsa

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/hash"
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
	//ct:leak isCompressedKey && key.Key.IsOverHalfOrder()
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
	//ct:leak len(digest) == 33 && key.Key.IsOdd()
	secret.Do(func() { id = sig.signInside(key, digest) })
	return id
}

// signInside is sign, and leaves secrets on the stack.
func (sig *Signature) signInside(key *secp256k1.PrivateKey, digest []byte) (id byte) {
	var d, z scalar.Scalar
	d.Set((*scalar.Scalar)(&key.Key))
	dsa.SetHash(&z, digest)
	//ct:leak d.IsOdd().Bool()
	if (d.IsZero() & z.IsZero()).Reveal() {
		return 0 // every s would be 0
	}
	var message [32]byte
	hash.Leftmost(&message, digest)
	r, s := sig.numbers()
	id = dsa.Sign(r, s, nil, &d, &z, &message, nil)
	//ct:leak d.IsHigh().Bool()
	d.Wipe()
	return id
}
