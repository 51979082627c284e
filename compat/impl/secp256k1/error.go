//ct:public describes errors, which hold public data alone

package secp256k1

// An ErrorKind is the reason why a public key was refused. Kinds work with errors.Is.
type ErrorKind string

// These are kinds of errors of [ParsePubKey].
const (
	// The key has neither 33 nor 65 bytes.
	ErrPubKeyInvalidLen = ErrorKind("ErrPubKeyInvalidLen")
	// The first byte is not valid for the length of the key.
	ErrPubKeyInvalidFormat = ErrorKind("ErrPubKeyInvalidFormat")
	// x is not below the field prime.
	ErrPubKeyXTooBig = ErrorKind("ErrPubKeyXTooBig")
	// y is not below the field prime.
	ErrPubKeyYTooBig = ErrorKind("ErrPubKeyYTooBig")
	// No point of the curve has these coordinates.
	ErrPubKeyNotOnCurve = ErrorKind("ErrPubKeyNotOnCurve")
	// The first byte of a hybrid key does not match the parity of y.
	ErrPubKeyMismatchedOddness = ErrorKind("ErrPubKeyMismatchedOddness")
)

// Error returns the name of the kind.
func (e ErrorKind) Error() string { return string(e) }

// An Error is an error of [ParsePubKey]: a kind, which Unwrap returns, and a text.
type Error struct {
	Err         error
	Description string
}

// Error returns the text of the error.
func (e Error) Error() string { return e.Description }

// Unwrap returns the kind of the error.
func (e Error) Unwrap() error { return e.Err }
