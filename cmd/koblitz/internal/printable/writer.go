package printable

import (
	"io"
	"unicode/utf8"
)

// A Writer passes text on with everything that is not printable escaped as in
// Text, but for line ends and tabs. It is the last line of defence: a text with
// several lines in it is still several lines, so whoever shows text from an input
// in a line of its own uses Text or Quote.
type Writer struct {
	w    io.Writer
	rest []byte // the beginning of a character that the last Write broke off
}

// NewWriter returns a Writer in front of w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write implements io.Writer. A character may come in several calls; one that is
// never completed is lost.
func (p *Writer) Write(b []byte) (int, error) {
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
	if _, err := p.w.Write(lines(text)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// isPlain reports whether b is printable ASCII in lines. It makes no copy: what is
// written may be a secret key.
func isPlain(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// unfinished is how many bytes at the end of text begin a character that is
// longer.
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

// lines is Text for a text of several lines, in which tabs may stand.
func lines(text []byte) []byte {
	s := string(text)
	var out []byte
	for s != "" {
		n := 0
		for n < len(s) && s[n] != '\n' && s[n] != '\t' {
			n++
		}
		out = append(out, Text(s[:n])...)
		if n < len(s) {
			out = append(out, s[n])
			n++
		}
		s = s[n:]
	}
	return out
}
