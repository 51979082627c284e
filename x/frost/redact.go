package frost

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// redacted is embedded in types that may hold a secret. They print as a fixed text, and encoders
// get an error.
type redacted struct{}

const redactedText = "frost: a secret (redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (redacted) Format(f fmt.State, verb rune) { io.WriteString(f, redactedText) }

// String returns the same fixed text as Format.
func (redacted) String() string { return redactedText }

// GoString returns the same fixed text as Format.
func (redacted) GoString() string { return redactedText }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (redacted) LogValue() slog.Value { return slog.StringValue(redactedText) }

var errNotEncoded = errors.New("frost: a value that may hold a secret cannot be encoded")

// MarshalText returns an error. Without this method and the next three, encoders would write the
// exported fields and lose the rest.
func (redacted) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (redacted) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (redacted) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (redacted) GobEncode() ([]byte, error) { return nil, errNotEncoded }
