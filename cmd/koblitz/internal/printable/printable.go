// Package printable makes text from inputs fit to be shown. A terminal obeys
// what is written to it: control characters move the cursor and erase lines,
// and format characters turn the direction of text, so that a name in a file
// could write a report of its own.
//
// A character is printable if strconv.IsPrint says so: letters, marks, digits,
// punctuation, symbols and the space, and nothing that Unicode calls a control
// or a format character.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted is how many bytes of an input Quote shows: enough to recognize it.
const quoted = 40

// Quote is text from an input for a message: between quotes, in ASCII, with
// the escapes of Go, and cut after 40 bytes.
func Quote[T ~string | ~[]byte](text T) string {
	if len(text) <= quoted {
		return strconv.QuoteToASCII(string(text))
	}
	return strconv.QuoteToASCII(string(text[:quoted])) + "…"
}

// Text is s with every character that is not printable, and every byte that is
// not UTF-8, as an escape of Go. What is printable stays as it is.
func Text(s string) string {
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

// clean returns how many bytes at the beginning of s are printable.
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

// escape writes the escape of r, which is encoded as raw.
func escape(b *strings.Builder, r rune, raw string) {
	if r == utf8.RuneError && len(raw) == 1 {
		const digits = "0123456789abcdef"
		b.WriteString(`\x`)
		b.WriteByte(digits[raw[0]>>4])
		b.WriteByte(digits[raw[0]&15])
		return
	}
	q := strconv.QuoteRuneToASCII(r)
	b.WriteString(q[1 : len(q)-1])
}

// JSON is a JSON text with every character of its strings that is not printable
// as an escape, which means the same. Line ends between values stay.
func JSON(text []byte) []byte {
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

func appendJSONEscape(out []byte, r rune) []byte {
	unit := func(u rune) {
		const digits = "0123456789abcdef"
		out = append(out, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	if r > 0xffff {
		r -= 0x10000
		unit(0xd800 + r>>10)
		unit(0xdc00 + r&0x3ff)
		return out
	}
	unit(r) // of what is not UTF-8, the replacement character
	return out
}
