package schnorr

import (
	"crypto"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz"
)

// A Signer makes BIP-340 signatures with one private key, for code that takes a [crypto.Signer] or
// a [crypto.MessageSigner]. Several goroutines may use a Signer at the same time. The zero value
// has no key. Without a key, or after the key was zeroized, Public returns nil, and Sign and
// SignMessage return [koblitz.ErrZeroKey].
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

// Public returns the public key, a *koblitz.XOnlyPublicKey, or nil if there is no key.
func (s *Signer) Public() crypto.PublicKey {
	if p := s.key().XOnlyPublicKey(); p != nil {
		return p
	}
	return nil // an untyped nil; not an interface that holds a nil pointer
}

// Sign returns the signature of the digest by the function [Sign] without options, with the digest
// as the message. It does not read rand. If opts names a hash function, the digest must have the
// length of that function's digests. If opts is nil or names no function, any length is allowed.
func (s *Signer) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if h := hashFunc(opts); h != 0 {
		if h > crypto.BLAKE2b_512 { // the last hash function; Size panics beyond it
			return nil, fmt.Errorf("schnorr: %v", h)
		}
		if len(digest) != h.Size() {
			return nil, fmt.Errorf("schnorr: digest: %d bytes, want %d", len(digest), h.Size())
		}
	}
	return Sign(s.key(), digest, nil)
}

// SignMessage returns the signature of msg by the function [Sign] without options. It does not read
// rand. If opts names a hash function, SignMessage hashes msg with it and signs the digest, as
// [Signer.Sign] would. It returns an error if that function is not linked into the program.
func (s *Signer) SignMessage(rand io.Reader, msg []byte, opts crypto.SignerOpts) ([]byte, error) {
	if h := hashFunc(opts); h != 0 {
		if !h.Available() {
			return nil, fmt.Errorf("schnorr: %v is not linked into the program", h)
		}
		digest := h.New()
		digest.Write(msg)
		msg = digest.Sum(nil)
	}
	return Sign(s.key(), msg, nil)
}

// hashFunc returns the hash function that opts names, or 0 if opts is nil or names none.
func hashFunc(opts crypto.SignerOpts) crypto.Hash {
	if opts == nil {
		return 0
	}
	return opts.HashFunc()
}
