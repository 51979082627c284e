package schnorr

import impl "github.com/koblitz-go/koblitz/compat/impl/schnorr"

// Types, documented in package compat/impl/schnorr of koblitz.
type (
	Error     = impl.Error
	ErrorKind = impl.ErrorKind
)

// Kinds of errors of this package.
const (
	ErrInvalidHashLen   = impl.ErrInvalidHashLen
	ErrPrivateKeyIsZero = impl.ErrPrivateKeyIsZero
	ErrSchnorrHashValue = impl.ErrSchnorrHashValue
	ErrPubKeyNotOnCurve = impl.ErrPubKeyNotOnCurve
	ErrSigRYIsOdd       = impl.ErrSigRYIsOdd
	ErrSigRNotOnCurve   = impl.ErrSigRNotOnCurve
	ErrUnequalRValues   = impl.ErrUnequalRValues
	ErrSigTooShort      = impl.ErrSigTooShort
	ErrSigTooLong       = impl.ErrSigTooLong
	ErrSigRTooBig       = impl.ErrSigRTooBig
	ErrSigSTooBig       = impl.ErrSigSTooBig
)

func failure(kind ErrorKind, text string) error { return Error{Err: kind, Description: text} }
