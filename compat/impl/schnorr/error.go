// Package schnorr has the errors of github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr, which
// btcec's package for BIP-340 returns too. It is not for direct use.
package schnorr

//ci:untested The tests of compat/impl/btcec/schnorr and compat/dcrec/v4/schnorr compare its errors.

// An ErrorKind is why a signature was refused or not made. Kinds work with errors.Is.
type ErrorKind string

// The kinds of errors of signatures and keys. A text says what was wrong.
const (
	// The message is not of 32 bytes.
	ErrInvalidHashLen = ErrorKind("ErrInvalidHashLen")
	// The private key is 0.
	ErrPrivateKeyIsZero = ErrorKind("ErrPrivateKeyIsZero")
	// The hash of r and the message is not below the group's order.
	ErrSchnorrHashValue = ErrorKind("ErrSchnorrHashValue")
	// The public key is not a point of the curve.
	ErrPubKeyNotOnCurve = ErrorKind("ErrPubKeyNotOnCurve")
	// The point of the verification has an odd y coordinate.
	ErrSigRYIsOdd = ErrorKind("ErrSigRYIsOdd")
	// The point of the verification is infinity.
	ErrSigRNotOnCurve = ErrorKind("ErrSigRNotOnCurve")
	// The point of the verification has another x coordinate than r.
	ErrUnequalRValues = ErrorKind("ErrUnequalRValues")
	// Fewer than 64 bytes.
	ErrSigTooShort = ErrorKind("ErrSigTooShort")
	// More than 64 bytes.
	ErrSigTooLong = ErrorKind("ErrSigTooLong")
	// r is not below the field prime.
	ErrSigRTooBig = ErrorKind("ErrSigRTooBig")
	// s is not below the group's order.
	ErrSigSTooBig = ErrorKind("ErrSigSTooBig")
)

// Error returns the kind's name.
func (e ErrorKind) Error() string { return string(e) }

// An Error is an error of this package: a kind, which Unwrap returns, and a text.
type Error struct {
	Err         error
	Description string
}

// Error returns the text.
func (e Error) Error() string { return e.Description }

// Unwrap returns the kind.
func (e Error) Unwrap() error { return e.Err }
