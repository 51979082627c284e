//ct:public prints fixed texts

package silentpay

import (
	"fmt"
	"io"
	"log/slog"
)

// The types that hold secrets print as these texts.
const (
	redactedScan  = "silentpay.ScanKey(redacted)"
	redactedSpend = "silentpay.SpendKey(redacted)"
	redactedTweak = "silentpay.PrivateTweak(redacted)"
	redactedOwner = "silentpay.Receiver(redacted)"
)

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (ScanKey) Format(f fmt.State, verb rune) { io.WriteString(f, redactedScan) }

// String returns the same fixed text as Format.
func (ScanKey) String() string { return redactedScan }

// GoString returns the same fixed text as Format.
func (ScanKey) GoString() string { return redactedScan }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (ScanKey) LogValue() slog.Value { return slog.StringValue(redactedScan) }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (SpendKey) Format(f fmt.State, verb rune) { io.WriteString(f, redactedSpend) }

// String returns the same fixed text as Format.
func (SpendKey) String() string { return redactedSpend }

// GoString returns the same fixed text as Format.
func (SpendKey) GoString() string { return redactedSpend }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (SpendKey) LogValue() slog.Value { return slog.StringValue(redactedSpend) }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (PrivateTweak) Format(f fmt.State, verb rune) { io.WriteString(f, redactedTweak) }

// String returns the same fixed text as Format.
func (PrivateTweak) String() string { return redactedTweak }

// GoString returns the same fixed text as Format.
func (PrivateTweak) GoString() string { return redactedTweak }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (PrivateTweak) LogValue() slog.Value { return slog.StringValue(redactedTweak) }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (Receiver) Format(f fmt.State, verb rune) { io.WriteString(f, redactedOwner) }

// String returns the same fixed text as Format.
func (Receiver) String() string { return redactedOwner }

// GoString returns the same fixed text as Format.
func (Receiver) GoString() string { return redactedOwner }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (Receiver) LogValue() slog.Value { return slog.StringValue(redactedOwner) }
