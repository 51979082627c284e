//ct:public prints fixed texts

package batch

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is embedded in columns, which may hold secrets, and in rows of secrets. They print as a
// fixed text, and encoders get an error.
type redacted struct{ noEncoding }

// redactedText is the text that package fmt prints.
const redactedText = "batch: rows that may be secret (redacted)"

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (redacted) Format(f fmt.State, verb rune) { io.WriteString(f, redactedText) }

// String returns the same fixed text as Format.
func (redacted) String() string { return redactedText }

// GoString returns the same fixed text as Format.
func (redacted) GoString() string { return redactedText }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (redacted) LogValue() slog.Value { return slog.StringValue(redactedText) }
