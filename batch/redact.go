//ct:public prints fixed texts

package batch

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is embedded in rows of secrets. They print as a fixed text, and encoders get an error.
type redacted struct{ noEncoding }

// The texts that package fmt prints for rows of secrets and for columns, which may hold secrets.
const (
	redactedRows   = "batch: rows of secrets (redacted)"
	redactedColumn = "batch.Column(redacted)"
)

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (redacted) Format(f fmt.State, verb rune) { io.WriteString(f, redactedRows) }

// String returns the same fixed text as Format.
func (redacted) String() string { return redactedRows }

// GoString returns the same fixed text as Format.
func (redacted) GoString() string { return redactedRows }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (redacted) LogValue() slog.Value { return slog.StringValue(redactedRows) }

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (Column) Format(f fmt.State, verb rune) { io.WriteString(f, redactedColumn) }
