package reading

// This file makes text from inputs safe to show. A terminal interprets the text that is written to
// it: control characters move the cursor and erase lines, and format characters reverse the
// direction of text, so that a name in a file could forge a report.
//
// A character is printable if strconv.IsPrint returns true: letters, marks, digits, punctuation,
// symbols and the space, but no control or format character of Unicode.

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
func Printable(s string) string {
	i := clean(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	for i >= 0 {
		b.WriteString(s[:i])
		if s = s[i:]; s == "" {
			break
		}
		r, n := utf8.DecodeRuneInString(s)
		escape(&b, r, s[:n])
		s = s[n:]
		i = clean(s)
	}
	return b.String()
}

// Short returns Printable of the first 200 bytes of text, which is a message of a server or of a
// file.
func Short[T ~string | ~[]byte](text T) string {
	return Printable(string(text[:min(len(text), 200)]))
}

// clean returns the number of bytes at the beginning of s that are printable.
func clean(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !strconv.IsPrint(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// escape writes the escape of r. raw is the encoding of r.
func escape(b *strings.Builder, r rune, raw string) {
	if r == utf8.RuneError && len(raw) == 1 {
		fmt.Fprintf(b, `\x%02x`, raw[0])
		return
	}
	q := strconv.QuoteRuneToASCII(r)
	b.WriteString(q[1 : len(q)-1])
}

// PrintableJSON returns a JSON text in which every character of a string that is not printable is
// replaced by a JSON escape, which has the same meaning. Line ends between values are unchanged.
func PrintableJSON(text []byte) []byte {
	if isPlain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for s := string(text); s != ""; {
		i := clean(s)
		out = append(out, s[:i]...)
		if s = s[i:]; s == "" {
			break
		}
		if s[0] == '\n' {
			out = append(out, '\n')
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		out = appendJSONEscape(out, r)
		s = s[n:]
	}
	return out
}

// appendJSONEscape appends the JSON escape of r. For invalid UTF-8, r is the replacement character.
func appendJSONEscape(out []byte, r rune) []byte {
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}
