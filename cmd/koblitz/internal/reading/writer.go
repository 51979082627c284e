package reading

import (
	"io"
	"unicode/utf8"
)

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
	text := b
	if len(p.rest) > 0 {
		text = append(p.rest, b...)
		p.rest = nil
	}
	if k := unfinished(text); k > 0 {
		p.rest = append([]byte(nil), text[len(text)-k:]...)
		text = text[:len(text)-k]
	}
	if _, err := p.w.Write(printableLines(text)); err != nil {
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

// unfinished returns the number of bytes at the end of text that are the beginning of an incomplete
// character.
func unfinished(text []byte) int {
	for k := 1; k <= min(len(text), utf8.UTFMax-1); k++ {
		if c := text[len(text)-k]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-k:]) {
				return k
			}
			return 0
		}
	}
	return 0
}

// printableLines is like Printable, but leaves line ends and tabs alone.
func printableLines(text []byte) []byte {
	s := string(text)
	var out []byte
	for s != "" {
		n := 0
		for n < len(s) && s[n] != '\n' && s[n] != '\t' {
			n++
		}
		out = append(out, Printable(s[:n])...)
		if n < len(s) {
			out = append(out, s[n])
			n++
		}
		s = s[n:]
	}
	return out
}
