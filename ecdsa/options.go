package ecdsa

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/koblitz-go/koblitz/internal/secret"
)

// SignOptions are options of signing. With a nil *SignOptions, and with the zero value, the nonce
// is that of RFC 6979 without additional data, and the signature is verified before it is returned.
//
// The entropy may be secret, so every verb of package fmt prints the same fixed text, and encoders
// get an error. There is one exception: package fmt calls no methods on an unexported field of
// another struct, and prints the bytes of SignOptions there.
type SignOptions struct {
	// Entropy is mixed into the derivation of the nonce, as the additional data of RFC 6979,
	// section 3.6. Fresh random bytes, usually 32, make faults and side channels harder to
	// exploit. A constant gives one use of a key other nonces than another use. Any length is
	// allowed; an empty Entropy is the same as nil. Functions that sign read it and keep no
	// copy, so the caller can overwrite it afterwards.
	Entropy []byte

	// Unchecked omits the verification of the new signature under the key's public key, and that of
	// the nonce. Signing then takes less than half as long. A fault during deterministic signing,
	// such as a flipped bit, can give away the private key to everyone who sees the faulty signature
	// beside a good one. Set it only if the signature is verified elsewhere before it is published,
	// or if faults are no concern.
	Unchecked bool

	noEncoding
}

// noEncoding is an unexported alias, so that the struct that embeds it has no exported field for
// it.
type noEncoding = secret.NoEncoding

// redacted is the text that package fmt prints for SignOptions.
const redacted = "ecdsa.SignOptions(redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (SignOptions) Format(f fmt.State, verb rune) { io.WriteString(f, redacted) }

// String returns the same fixed text as Format.
func (SignOptions) String() string { return redacted }

// GoString returns the same fixed text as Format.
func (SignOptions) GoString() string { return redacted }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (SignOptions) LogValue() slog.Value { return slog.StringValue(redacted) }
