package group

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// The methods in this file have value receivers, so that printers and encoders find them both for
// values and for pointers.

// redacted is the text that package fmt prints for every scalar.
const redacted = "group.Scalar(redacted)"

var errNotEncoded = errors.New(
	"group: a scalar may be secret and has no encoding but that of Bytes")

// Format implements fmt.Formatter: every verb prints the same fixed text.
func (Scalar) Format(f fmt.State, verb rune) { io.WriteString(f, redacted) }

// String returns the same fixed text as Format.
func (Scalar) String() string { return redacted }

// GoString returns the same fixed text as Format.
func (Scalar) GoString() string { return redacted }

// LogValue implements slog.LogValuer. It returns the same fixed text as Format.
func (Scalar) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns an error, and so do the other methods that encoders call. Without these
// methods encoding/json would write {} and lose the scalar.
func (Scalar) MarshalText() ([]byte, error) { return nil, errNotEncoded }

// MarshalJSON returns an error, as MarshalText does.
func (Scalar) MarshalJSON() ([]byte, error) { return nil, errNotEncoded }

// MarshalBinary returns an error, as MarshalText does.
func (Scalar) MarshalBinary() ([]byte, error) { return nil, errNotEncoded }

// GobEncode returns an error, as MarshalText does.
func (Scalar) GobEncode() ([]byte, error) { return nil, errNotEncoded }

// published returns the encoding of p. The point becomes public.
func (p *Point) published() []byte {
	b := p.Bytes()
	ct.DeclassifyBytes(b) // it will be printed
	return b
}

// Format implements fmt.Formatter: %v and %s print the encoding in hexadecimal, and %q quotes it.
// %x and %X take the same flags as for bytes. %#v adds the type. The point becomes public.
func (p Point) Format(f fmt.State, verb rune) {
	switch verb {
	case 'x', 'X':
		fmt.Fprintf(f, fmt.FormatString(f, verb), p.published())
	case 'v', 's', 'q':
		if verb == 'v' && f.Flag('#') {
			io.WriteString(f, p.GoString())
			return
		}
		fmt.Fprintf(f, fmt.FormatString(f, verb), p.String())
	default: // the text that fmt prints for a verb that a type does not support
		fmt.Fprintf(f, "%%!%c(group.Point=%s)", verb, p.String())
	}
}

// String returns the encoding in hexadecimal. The point becomes public.
func (p Point) String() string { return hex.EncodeToString(p.published()) }

// GoString returns the type, and the encoding in hexadecimal. The point becomes public.
func (p Point) GoString() string { return "group.Point(" + p.String() + ")" }

// LogValue implements slog.LogValuer with the text of String.
func (p Point) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText returns the encoding in hexadecimal, and never an error. The point becomes public.
func (p Point) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, p.published()), nil }

// UnmarshalText sets p to the point that text encodes in hexadecimal. If there is an error, p keeps
// its value. The time depends on text.
//
//ct:public parses public data
func (p *Point) UnmarshalText(text []byte) error {
	if len(text) != 2*PointSize {
		return fmt.Errorf("group: point: %d hexadecimal digits, want 66", len(text))
	}
	var b [PointSize]byte
	if _, err := hex.Decode(b[:], text); err != nil {
		return fmt.Errorf("group: point: %w", err)
	}
	_, err := p.SetBytes(b[:])
	return err
}

// MarshalBinary returns the encoding. The error is always nil.
func (p Point) MarshalBinary() ([]byte, error) { return p.Bytes(), nil }

// UnmarshalBinary sets p to the point that b encodes, as SetBytes does. If there is an error, p
// keeps its value. The time depends on b.
//
//ct:public parses public data
func (p *Point) UnmarshalBinary(b []byte) error {
	_, err := p.SetBytes(b)
	return err
}
