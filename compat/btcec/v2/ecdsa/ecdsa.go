// Package ecdsa replaces github.com/btcsuite/btcd/btcec/v2/ecdsa: ECDSA signatures (SEC 1 version
// 2, section 4.1) with nonces of RFC 6979.
package ecdsa

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import (
	"github.com/btcsuite/btcd/btcec/v2"
	parsers "github.com/koblitz-go/koblitz/compat/impl/btcec/ecdsa"
	impl "github.com/koblitz-go/koblitz/compat/impl/ecdsa"
)

// These types are documented in package compat/impl/ecdsa of koblitz. Error is a kind of error, as
// in the replaced package.
type (
	Error     = impl.ErrorKind
	ErrorKind = impl.ErrorKind
	Signature = impl.Signature
)

// These are the lengths in bytes of the shortest encoded signature, and of the longest one in DER.
const (
	MinSigLen = parsers.MinSigLen
	MaxSigLen = parsers.MaxSigLen
)

// NewSignature returns the signature (r, s). It accepts any r and s.
func NewSignature(r, s *btcec.ModNScalar) *Signature { return impl.NewSignature(r, s) }

// ParseSignature returns the signature that sigStr encodes in DER or, within limits, in BER.
func ParseSignature(sigStr []byte) (*Signature, error) { return parsers.ParseSignature(sigStr) }

// ParseDERSignature returns the signature that sigStr encodes in DER.
func ParseDERSignature(sigStr []byte) (*Signature, error) {
	return parsers.ParseDERSignature(sigStr)
}

// VerifyLowS returns nil if sigStr is a DER signature with a low s, and an error otherwise.
func VerifyLowS(sigStr []byte) error { return parsers.VerifyLowS(sigStr) }

// Sign returns a signature of the hash by the key, with a nonce of RFC 6979, in constant time.
func Sign(key *btcec.PrivateKey, hash []byte) *Signature { return impl.Sign(key, hash) }

// SignCompact returns the signature of Sign in 65 bytes. RecoverCompact recovers the public key
// from them.
func SignCompact(key *btcec.PrivateKey, hash []byte, isCompressedKey bool) []byte {
	return impl.SignCompact(key, hash, isCompressedKey)
}

// RecoverCompact returns the public key under which signature is valid for the hash. It also
// reports whether the signature says that the key should be encoded in compressed form.
func RecoverCompact(signature, hash []byte) (*btcec.PublicKey, bool, error) {
	return impl.RecoverCompact(signature, hash)
}
