package frost

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// The types that hold secrets print as these texts.
const (
	redactedNonce  = "frost.SecretNonce(redacted)"
	redactedKeyGen = "frost.KeyGen(redacted)"
)

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (*SecretNonce) Format(f fmt.State, verb rune) { io.WriteString(f, redactedNonce) }

// String returns the same fixed text as Format.
func (*SecretNonce) String() string { return redactedNonce }

// GoString returns the same fixed text as Format.
func (*SecretNonce) GoString() string { return redactedNonce }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (*SecretNonce) LogValue() slog.Value { return slog.StringValue(redactedNonce) }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (KeyGen) Format(f fmt.State, verb rune) { io.WriteString(f, redactedKeyGen) }

// String returns the same fixed text as Format.
func (KeyGen) String() string { return redactedKeyGen }

// GoString returns the same fixed text as Format.
func (KeyGen) GoString() string { return redactedKeyGen }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (KeyGen) LogValue() slog.Value { return slog.StringValue(redactedKeyGen) }

var errNotEncoded = errors.New("frost: a secret is not encoded")

// Types embed noEncoding so that encoders return an error for them.
type noEncoding struct{}

// MarshalText returns an error. Without this method and the next two, encoding/json and
// encoding/gob would encode the exported fields and lose the rest.
func (noEncoding) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (noEncoding) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (noEncoding) GobEncode() ([]byte, error) { return nil, errNotEncoded }
