// Package ecdsa replaces github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa: ECDSA signatures (SEC 1
// version 2, section 4.1) with nonces of RFC 6979.
package ecdsa

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	impl "github.com/koblitz-go/koblitz/compat/impl/ecdsa"
)

// Types, documented in package compat/impl/ecdsa of koblitz.
type (
	Error     = impl.Error
	ErrorKind = impl.ErrorKind
	Signature = impl.Signature
)

// Kinds of errors of this package.
const (
	ErrSigTooShort            = impl.ErrSigTooShort
	ErrSigTooLong             = impl.ErrSigTooLong
	ErrSigInvalidSeqID        = impl.ErrSigInvalidSeqID
	ErrSigInvalidDataLen      = impl.ErrSigInvalidDataLen
	ErrSigMissingSTypeID      = impl.ErrSigMissingSTypeID
	ErrSigMissingSLen         = impl.ErrSigMissingSLen
	ErrSigInvalidSLen         = impl.ErrSigInvalidSLen
	ErrSigInvalidRIntID       = impl.ErrSigInvalidRIntID
	ErrSigZeroRLen            = impl.ErrSigZeroRLen
	ErrSigNegativeR           = impl.ErrSigNegativeR
	ErrSigTooMuchRPadding     = impl.ErrSigTooMuchRPadding
	ErrSigRIsZero             = impl.ErrSigRIsZero
	ErrSigRTooBig             = impl.ErrSigRTooBig
	ErrSigInvalidSIntID       = impl.ErrSigInvalidSIntID
	ErrSigZeroSLen            = impl.ErrSigZeroSLen
	ErrSigNegativeS           = impl.ErrSigNegativeS
	ErrSigTooMuchSPadding     = impl.ErrSigTooMuchSPadding
	ErrSigSIsZero             = impl.ErrSigSIsZero
	ErrSigSTooBig             = impl.ErrSigSTooBig
	ErrSigInvalidLen          = impl.ErrSigInvalidLen
	ErrSigInvalidRecoveryCode = impl.ErrSigInvalidRecoveryCode
	ErrSigOverflowsPrime      = impl.ErrSigOverflowsPrime
	ErrPointNotOnCurve        = impl.ErrPointNotOnCurve
)

// NewSignature returns the signature (r, s). It accepts any r and s.
func NewSignature(r, s *secp256k1.ModNScalar) *Signature { return impl.NewSignature(r, s) }

// ParseDERSignature returns the signature that sig encodes in DER.
func ParseDERSignature(sig []byte) (*Signature, error) { return impl.ParseDERSignature(sig) }

// Sign returns a signature of the hash by the key, with a nonce of RFC 6979, in constant time.
func Sign(key *secp256k1.PrivateKey, hash []byte) *Signature { return impl.Sign(key, hash) }

// SignCompact returns the signature of Sign in 65 bytes. RecoverCompact recovers the public key
// from them.
func SignCompact(key *secp256k1.PrivateKey, hash []byte, isCompressedKey bool) []byte {
	return impl.SignCompact(key, hash, isCompressedKey)
}

// RecoverCompact returns the public key under which signature is valid for the hash. It also
// reports whether the signature says that the key should be encoded in compressed form.
func RecoverCompact(signature, hash []byte) (*secp256k1.PublicKey, bool, error) {
	return impl.RecoverCompact(signature, hash)
}
