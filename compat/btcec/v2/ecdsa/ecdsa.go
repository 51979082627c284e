// Package ecdsa replaces github.com/btcsuite/btcd/btcec/v2/ecdsa: ECDSA signatures (SEC 1
// version 2, section 4.1) with the nonces of RFC 6979.
package ecdsa

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import (
	"github.com/btcsuite/btcd/btcec/v2"
	parsers "github.com/koblitz-go/koblitz/compat/impl/btcec/ecdsa"
	impl "github.com/koblitz-go/koblitz/compat/impl/ecdsa"
)

// Types, which package compat/impl/ecdsa of koblitz documents. Error is a kind of errors, as in
// what this package replaces.
type (
	Error     = impl.ErrorKind
	ErrorKind = impl.ErrorKind
	Signature = impl.Signature
)

// The least length of an encoded signature, and the greatest in DER.
const (
	MinSigLen = parsers.MinSigLen
	MaxSigLen = parsers.MaxSigLen
)

// NewSignature returns the signature (r, s), whatever they are.
func NewSignature(r, s *btcec.ModNScalar) *Signature { return impl.NewSignature(r, s) }

// ParseSignature returns the signature that sigStr encodes in DER or, within limits, in BER.
func ParseSignature(sigStr []byte) (*Signature, error) { return parsers.ParseSignature(sigStr) }

// ParseDERSignature returns the signature that sigStr encodes in DER.
func ParseDERSignature(sigStr []byte) (*Signature, error) {
	return parsers.ParseDERSignature(sigStr)
}

// VerifyLowS returns nil if sigStr is a signature in DER with a low s, and the error otherwise.
func VerifyLowS(sigStr []byte) error { return parsers.VerifyLowS(sigStr) }

// Sign returns a signature of the hash, with the nonce of RFC 6979, in constant time.
func Sign(key *btcec.PrivateKey, hash []byte) *Signature { return impl.Sign(key, hash) }

// SignCompact returns the signature of Sign in 65 bytes, from which RecoverCompact makes the
// public key.
func SignCompact(key *btcec.PrivateKey, hash []byte, isCompressedKey bool) []byte {
	return impl.SignCompact(key, hash, isCompressedKey)
}

// RecoverCompact returns the public key under which signature is one of the hash, and whether
// it says that the key is to be encoded in compressed form.
func RecoverCompact(signature, hash []byte) (*btcec.PublicKey, bool, error) {
	return impl.RecoverCompact(signature, hash)
}
