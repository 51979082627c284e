package reading

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// This file makes text from inputs safe to show. A terminal interprets the text that is written to
// it: control characters move the cursor and erase lines, and format characters reverse the
// direction of text, so that a name in a file could forge a report.
//
// A character is printable if strconv.IsPrint returns true: letters, marks, digits, punctuation,
// symbols and the space, but no control or format character of Unicode.

// quoteLimit is the number of bytes of an input that Quote shows: enough to recognize it.
const quoteLimit = 40

// Quote quotes text from an input for use in a message, like a Go string in ASCII. It cuts the text
// after 40 bytes.
func Quote[T ~string | ~[]byte](text T) string {
	if len(text) <= quoteLimit {
		return strconv.QuoteToASCII(string(text))
	}
	return strconv.QuoteToASCII(string(text[:quoteLimit])) + "…"
}

// Printable returns s with a Go escape in place of every character that is not printable and every
// byte that is not UTF-8. Printable characters are unchanged.
func Printable(s string) string { return string(appendPrintable(nil, s, "")) }

// Short returns Printable of the first 200 bytes of text, which is a message of a server or of a
// file.
func Short[T ~string | ~[]byte](text T) string {
	return Printable(string(text[:min(len(text), 200)]))
}

// appendPrintable appends Printable of s, but leaves the characters in kept alone.
func appendPrintable(b []byte, s, kept string) []byte {
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(r)):
			b = fmt.Appendf(b, `\x%02x`, s[i])
		case strconv.IsPrint(r) || strings.ContainsRune(kept, r):
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, strings.Trim(strconv.QuoteRuneToASCII(r), "'")...)
		}
	}
	return b
}

// PrintableJSON returns a JSON text in which every character of a string that is not printable is
// replaced by a JSON escape, which has the same meaning. Line ends between values are unchanged.
func PrintableJSON(text []byte) []byte {
	if isPlain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for _, r := range string(text) {
		if strconv.IsPrint(r) || r == '\n' {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// A PrintableWriter passes text on with escapes like those of Printable, but leaves line ends and
// tabs alone. It is the last line of defence: if text of an input contains line ends, the
// PrintableWriter still outputs several lines. To show such text in one line, use Printable or
// Quote.
type PrintableWriter struct {
	w    io.Writer
	rest []byte // the bytes of a character that the last Write passed only in part
}

// NewPrintableWriter returns a PrintableWriter that writes to w.
func NewPrintableWriter(w io.Writer) *PrintableWriter { return &PrintableWriter{w: w} }

// Write implements io.Writer. A character may be split between calls. A character that is never
// completed is not written.
func (p *PrintableWriter) Write(b []byte) (int, error) {
	if len(p.rest) == 0 && isPlain(b) {
		return p.w.Write(b)
	}
	text := append(p.rest, b...)
	whole := len(text)
	for k := 1; k <= min(len(text), utf8.UTFMax-1); k++ {
		if last := text[len(text)-k:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= k
			}
			break
		}
	}
	p.rest = bytes.Clone(text[whole:])
	if _, err := p.w.Write(appendPrintable(nil, string(text[:whole]), "\n\t")); err != nil {
		return 0, err
	}
	return len(b), nil
}

// isPlain reports whether b consists of printable ASCII and line ends. It makes no copy of b, which
// may hold a secret key.
func isPlain(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
