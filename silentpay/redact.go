//ct:public prints fixed texts

package silentpay

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// The types that hold secrets print as these texts, and encoders get this error.
const (
	redactedScan  = "silentpay.ScanKey(redacted)"
	redactedSpend = "silentpay.SpendKey(redacted)"
	redactedTweak = "silentpay.PrivateTweak(redacted)"
	redactedOwner = "silentpay.Receiver(redacted)"
)

var errNotEncoded = errors.New("silentpay: secrets are not encoded")

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (ScanKey) Format(f fmt.State, verb rune) { io.WriteString(f, redactedScan) }

// String returns the same fixed text as Format.
func (ScanKey) String() string { return redactedScan }

// GoString returns the same fixed text as Format.
func (ScanKey) GoString() string { return redactedScan }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (ScanKey) LogValue() slog.Value { return slog.StringValue(redactedScan) }

// MarshalText returns an error, and so do the other methods that encoders call.
func (ScanKey) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (ScanKey) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (ScanKey) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (ScanKey) GobEncode() ([]byte, error) { return nil, errNotEncoded }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (SpendKey) Format(f fmt.State, verb rune) { io.WriteString(f, redactedSpend) }

// String returns the same fixed text as Format.
func (SpendKey) String() string { return redactedSpend }

// GoString returns the same fixed text as Format.
func (SpendKey) GoString() string { return redactedSpend }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (SpendKey) LogValue() slog.Value { return slog.StringValue(redactedSpend) }

// MarshalText returns an error, and so do the other methods that encoders call.
func (SpendKey) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (SpendKey) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (SpendKey) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (SpendKey) GobEncode() ([]byte, error) { return nil, errNotEncoded }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (PrivateTweak) Format(f fmt.State, verb rune) { io.WriteString(f, redactedTweak) }

// String returns the same fixed text as Format.
func (PrivateTweak) String() string { return redactedTweak }

// GoString returns the same fixed text as Format.
func (PrivateTweak) GoString() string { return redactedTweak }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (PrivateTweak) LogValue() slog.Value { return slog.StringValue(redactedTweak) }

// MarshalText returns an error, and so do the other methods that encoders call.
func (PrivateTweak) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (PrivateTweak) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (PrivateTweak) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (PrivateTweak) GobEncode() ([]byte, error) { return nil, errNotEncoded }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (Receiver) Format(f fmt.State, verb rune) { io.WriteString(f, redactedOwner) }

// String returns the same fixed text as Format.
func (Receiver) String() string { return redactedOwner }

// GoString returns the same fixed text as Format.
func (Receiver) GoString() string { return redactedOwner }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (Receiver) LogValue() slog.Value { return slog.StringValue(redactedOwner) }

// MarshalText returns an error, and so do the other methods that encoders call.
func (Receiver) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (Receiver) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (Receiver) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (Receiver) GobEncode() ([]byte, error) { return nil, errNotEncoded }

// MarshalText returns an error: the private key in it is encoded by its Bytes alone.
func (Input) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalText returns an error: store the fields that are needed, and the tweak by its Bytes.
func (Match) MarshalText() ([]byte, error) { return nil, errNotEncoded }
