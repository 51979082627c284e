package ecdsa

import (
	"crypto"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz"
)

// A Signer signs hashes with ECDSA under one private key, for code that takes a [crypto.Signer].
// Several goroutines may use a Signer at the same time. The zero value has no key. Without a key,
// or after the key was zeroized, Public returns nil and Sign returns [koblitz.ErrZeroKey].
type Signer struct {
	private *koblitz.PrivateKey

	noEncoding
}

// NewSigner returns a Signer with the key. The error is [koblitz.ErrZeroKey] if the key is nil, a
// zero value or zeroized.
func NewSigner(key *koblitz.PrivateKey) (*Signer, error) {
	if key.IsZero() {
		return nil, koblitz.ErrZeroKey
	}
	return &Signer{private: key}, nil
}

// key returns the private key, or nil if there is none.
func (s *Signer) key() *koblitz.PrivateKey {
	if s == nil {
		return nil
	}
	return s.private
}

// Public returns the public key, a *koblitz.PublicKey, or nil if there is no key.
func (s *Signer) Public() crypto.PublicKey {
	if p := s.key().PublicKey(); p != nil {
		return p
	}
	return nil // an untyped nil; not an interface that holds a nil pointer
}

// Sign returns the signature of the digest by the function [Sign] without options, in DER. It does
// not read rand. If opts names a hash function, the digest must have the length of that function's
// digests. If opts is nil or names no function, as for Keccak-256, the digest must have 32 bytes:
// ECDSA would sign only the first 32 bytes of a longer digest.
func (s *Signer) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	want := 32
	if opts != nil && opts.HashFunc() != 0 {
		if opts.HashFunc() > crypto.BLAKE2b_512 { // the last hash function; Size panics beyond it
			return nil, fmt.Errorf("ecdsa: %v", opts.HashFunc())
		}
		want = opts.HashFunc().Size()
	}
	if len(digest) != want {
		return nil, fmt.Errorf("ecdsa: digest: %d bytes, want %d", len(digest), want)
	}
	sig, err := Sign(s.key(), digest, nil)
	if err != nil {
		return nil, err
	}
	return sig.DER(), nil
}
