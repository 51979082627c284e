package dleq

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// Options holds optional arguments of Prove. The zero value means the generator of secp256k1, no
// message, and fresh auxiliary randomness.
//
// The randomness may be secret, so every verb of package fmt prints the same fixed text, and
// encoders get an error. There is one exception: package fmt calls no methods on an unexported
// field of another struct, and prints the bytes of Options there.
type Options struct {
	// G is the generator. Nil means the generator of secp256k1.
	G *koblitz.PublicKey

	// Message is empty, or 32 bytes to which the proof is bound.
	Message []byte

	// Aux is 32 bytes of auxiliary randomness for the nonce. If it is empty, fresh bytes are taken
	// from crypto/rand. They are a defence against faults and side channels. With 32 zero bytes, or
	// any other constant, the proof depends only on the key, the statement and the message. Prove
	// keeps no copy of Aux.
	Aux []byte

	noEncoding
}

// noEncoding is an unexported alias, so that the struct that embeds it has no exported field for
// it.
type noEncoding = secret.NoEncoding

// redacted is the text that package fmt prints for Options.
const redacted = "dleq.Options(redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (Options) Format(f fmt.State, verb rune) { io.WriteString(f, redacted) }

// String returns the same fixed text as Format.
func (Options) String() string { return redacted }

// GoString returns the same fixed text as Format.
func (Options) GoString() string { return redacted }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (Options) LogValue() slog.Value { return slog.StringValue(redacted) }
