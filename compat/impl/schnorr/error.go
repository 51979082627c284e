// Package schnorr defines the errors of github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr, which
// btcec's package for BIP-340 returns too. It is not for direct use.
package schnorr

//ci:untested The tests of compat/impl/btcec/schnorr and compat/dcrec/v4/schnorr compare its errors.

// An ErrorKind is the reason why a signature was refused or not made. Kinds work with errors.Is.
type ErrorKind string

// These are kinds of errors for signatures and keys.
const (
	// The message does not have 32 bytes.
	ErrInvalidHashLen = ErrorKind("ErrInvalidHashLen")
	// The private key is 0.
	ErrPrivateKeyIsZero = ErrorKind("ErrPrivateKeyIsZero")
	// The hash of r and the message is not below the group order.
	ErrSchnorrHashValue = ErrorKind("ErrSchnorrHashValue")
	// The public key is not a point of the curve.
	ErrPubKeyNotOnCurve = ErrorKind("ErrPubKeyNotOnCurve")
	// The point that the verification computes has an odd y coordinate.
	ErrSigRYIsOdd = ErrorKind("ErrSigRYIsOdd")
	// The point that the verification computes is infinity.
	ErrSigRNotOnCurve = ErrorKind("ErrSigRNotOnCurve")
	// The x coordinate of the point that the verification computes differs from r.
	ErrUnequalRValues = ErrorKind("ErrUnequalRValues")
	// The signature has fewer than 64 bytes.
	ErrSigTooShort = ErrorKind("ErrSigTooShort")
	// The signature has more than 64 bytes.
	ErrSigTooLong = ErrorKind("ErrSigTooLong")
	// r is not below the field prime.
	ErrSigRTooBig = ErrorKind("ErrSigRTooBig")
	// s is not below the group order.
	ErrSigSTooBig = ErrorKind("ErrSigSTooBig")
)

// Error returns the name of the kind.
func (e ErrorKind) Error() string { return string(e) }

// An Error is an error of this package: a kind, which Unwrap returns, and a text.
type Error struct {
	Err         error
	Description string
}

// Error returns the text of the error.
func (e Error) Error() string { return e.Description }

// Unwrap returns the kind of the error.
func (e Error) Unwrap() error { return e.Err }
