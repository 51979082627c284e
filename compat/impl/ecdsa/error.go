//ct:public describes errors, which hold public data alone

package ecdsa

// An ErrorKind is the reason why a signature was refused. Kinds work with errors.Is.
type ErrorKind string

// These are kinds of errors of [ParseDERSignature].
const (
	// The signature has fewer than 8 bytes.
	ErrSigTooShort = ErrorKind("ErrSigTooShort")
	// The signature has more than 72 bytes.
	ErrSigTooLong = ErrorKind("ErrSigTooLong")
	// The first byte is not the tag of a sequence.
	ErrSigInvalidSeqID = ErrorKind("ErrSigInvalidSeqID")
	// The length of the sequence does not match the number of bytes.
	ErrSigInvalidDataLen = ErrorKind("ErrSigInvalidDataLen")
	// The bytes end before the tag of s.
	ErrSigMissingSTypeID = ErrorKind("ErrSigMissingSTypeID")
	// The bytes end before the length of s.
	ErrSigMissingSLen = ErrorKind("ErrSigMissingSLen")
	// The length of s does not match the number of bytes.
	ErrSigInvalidSLen = ErrorKind("ErrSigInvalidSLen")
	// The tag of r is not that of an integer.
	ErrSigInvalidRIntID = ErrorKind("ErrSigInvalidRIntID")
	// r has no bytes.
	ErrSigZeroRLen = ErrorKind("ErrSigZeroRLen")
	// r is negative.
	ErrSigNegativeR = ErrorKind("ErrSigNegativeR")
	// r has unnecessary leading zeros.
	ErrSigTooMuchRPadding = ErrorKind("ErrSigTooMuchRPadding")
	// r is 0.
	ErrSigRIsZero = ErrorKind("ErrSigRIsZero")
	// r is not below the group's order.
	ErrSigRTooBig = ErrorKind("ErrSigRTooBig")
	// The tag of s is not that of an integer.
	ErrSigInvalidSIntID = ErrorKind("ErrSigInvalidSIntID")
	// s has no bytes.
	ErrSigZeroSLen = ErrorKind("ErrSigZeroSLen")
	// s is negative.
	ErrSigNegativeS = ErrorKind("ErrSigNegativeS")
	// s has unnecessary leading zeros.
	ErrSigTooMuchSPadding = ErrorKind("ErrSigTooMuchSPadding")
	// s is 0.
	ErrSigSIsZero = ErrorKind("ErrSigSIsZero")
	// s is not below the group's order.
	ErrSigSTooBig = ErrorKind("ErrSigSTooBig")
)

// These are kinds of errors that only [RecoverCompact] returns. It also returns ErrSigRIsZero,
// ErrSigRTooBig, ErrSigSIsZero and ErrSigSTooBig.
const (
	// The signature does not have 65 bytes.
	ErrSigInvalidLen = ErrorKind("ErrSigInvalidLen")
	// The first byte is not in the range from 27 to 34.
	ErrSigInvalidRecoveryCode = ErrorKind("ErrSigInvalidRecoveryCode")
	// The first byte says that the x coordinate of the nonce point is r + n, but r + n is not below
	// the field prime.
	ErrSigOverflowsPrime = ErrorKind("ErrSigOverflowsPrime")
	// No point has the x coordinate of the nonce point, or the key would be infinity.
	ErrPointNotOnCurve = ErrorKind("ErrPointNotOnCurve")
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
