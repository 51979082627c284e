package schnorr

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/koblitz-go/koblitz/internal/secret"
)

// SignOptions are options of signing. With a nil *SignOptions, and with the zero value, the
// auxiliary randomness is fresh, and the signature is verified before it is returned.
//
// The randomness may be secret, so every verb of package fmt prints the same fixed text, and
// encoders get an error. There is one exception: package fmt calls no methods on an unexported
// field of another struct, and prints the bytes of SignOptions there.
type SignOptions struct {
	// Aux is auxiliary randomness of 32 bytes. If it is nil, fresh bytes are taken from crypto/rand;
	// other lengths are an error. With 32 zero bytes, or any other constant, the signature depends
	// only on the key and the message. Functions that sign read Aux and keep no copy.
	Aux []byte

	// Unchecked omits the verification of the new signature, and the second computation of the nonce
	// of a message of up to 64 bytes. Signing then takes less than half as long. A fault while a
	// signature is made, such as a flipped bit, can give away the private key to everyone who sees
	// the faulty signature, most easily if Aux is constant and the same message is signed twice. Set
	// it only if the signature is verified elsewhere before it is published, or if faults are no
	// concern.
	Unchecked bool

	noEncoding
}

// noEncoding is an unexported alias, so that the struct that embeds it has no exported field for
// it.
type noEncoding = secret.NoEncoding

// redacted is the text that package fmt prints for SignOptions.
const redacted = "schnorr.SignOptions(redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (SignOptions) Format(f fmt.State, verb rune) { io.WriteString(f, redacted) }

// String returns the same fixed text as Format.
func (SignOptions) String() string { return redacted }

// GoString returns the same fixed text as Format.
func (SignOptions) GoString() string { return redacted }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (SignOptions) LogValue() slog.Value { return slog.StringValue(redacted) }
