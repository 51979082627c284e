package nostr

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner parses JSON (RFC 8259). It returns strings and tags in the form that NIP-01 hashes:
// without white space, with quotes, with seven characters escaped and all others literal, even
// control characters. Most programs write events in exactly that form. Values in it are not copied.
type scanner struct {
	b []byte
	i int

	text []byte // buffer that is reused
	sig  bool   // skip has found an object with the name "sig", in any case of letters
}

// A ParseError says what a text of JSON violates, and where.
type ParseError struct {
	Field  string // field of NIP-01 that is missing or whose value is refused; or ""
	Offset int    // offset in bytes from the beginning of the text; -1 if the error has none
	Reason string // never holds more of the text than a field's name or 40 bytes of an envelope's kind
}

// Error returns a sentence with the field, the offset and the reason.
func (e *ParseError) Error() string {
	switch {
	case e.Offset < 0:
		return "nostr: " + e.Reason
	case e.Field == "":
		return fmt.Sprintf("nostr: at offset %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("nostr: %s, at offset %d: %s", e.Field, e.Offset, e.Reason)
}

func (s *scanner) fail(format string, args ...any) error {
	if s.i >= len(s.b) {
		format = "the text ends too early: " + format
	}
	return &ParseError{Offset: s.i, Reason: fmt.Sprintf(format, args...)}
}

func (s *scanner) space() {
	const white uint64 = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'
	for s.i < len(s.b) && s.b[s.i] <= ' ' && white>>s.b[s.i]&1 != 0 {
		s.i++
	}
}

// peek skips white space and returns the next byte without consuming it. At the end it returns 0.
func (s *scanner) peek() byte {
	s.space()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

// take skips white space. If the next byte is c, it consumes the byte and returns true.
func (s *scanner) take(c byte) bool {
	s.space()
	return s.next(c)
}

// next consumes the next byte if it is c, and reports whether it was.
func (s *scanner) next(c byte) bool {
	if s.i >= len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

func (s *scanner) expect(c byte) error {
	if !s.take(c) {
		return s.fail("expected %q", c)
	}
	return nil
}

// end returns an error unless only white space is left.
func (s *scanner) end() error {
	s.space()
	if s.i < len(s.b) {
		return s.fail("unexpected text after the end of the value")
	}
	return nil
}

// An output is a string or a list of tags in the form that is hashed, while it is read: the bytes
// of copied, and then those of the text from the offset start on.
type output struct {
	copied []byte
	start  int
}

// omit leaves out of v what was read since the offset at.
func (s *scanner) omit(v *output, at int) {
	v.copied = append(v.copied, s.b[v.start:at]...)
	v.start = s.i
}

// omitSpace skips white space and leaves it out of v.
func (s *scanner) omitSpace(v *output) {
	at := s.i
	if s.space(); s.i > at {
		s.omit(v, at)
	}
}

// token skips white space like take, and leaves it out of v.
func (s *scanner) token(v *output, c byte) bool {
	s.omitSpace(v)
	return s.next(c)
}

// bytes returns the bytes of v, which was read. They are part of the text, or the new *buf.
func (s *scanner) bytes(v *output, buf *[]byte) []byte {
	if len(v.copied) == 0 {
		return s.b[v.start:s.i]
	}
	s.omit(v, s.i)
	*buf = v.copied
	return v.copied
}

// hashed reads a string and returns it with its quotes in the form that is hashed. The result is
// part of the text, or in buf.
func (s *scanner) hashed(buf *[]byte) ([]byte, error) {
	s.space()
	v := output{(*buf)[:0], s.i}
	if !s.next('"') {
		return nil, s.fail("expected a string")
	}
	if err := s.string(&v); err != nil {
		return nil, err
	}
	return s.bytes(&v, buf), nil
}

// string reads a string, which is v or a part of it, from the byte after its first quotation mark.
func (s *scanner) string(v *output) error {
	for {
		s.i += plainASCII(s.b[s.i:])
		if s.i >= len(s.b) {
			return s.fail("inside a string")
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return nil
		case c == '\\':
			at := s.i
			r, err := s.escape()
			if err != nil {
				return err
			}
			if s.i > at+2 || r == '/' { // not one of the seven that are hashed
				s.omit(v, at)
				v.copied = appendRune(v.copied, r)
			}
		case c < 0x20:
			return s.fail("control character 0x%02x in a string", c)
		default:
			r, n := utf8.DecodeRune(s.b[s.i:])
			if r == utf8.RuneError && n == 1 {
				return s.fail("text is not UTF-8")
			}
			s.i += n
		}
	}
}

// escape reads one escape sequence, or two if they make up a surrogate pair.
func (s *scanner) escape() (rune, error) {
	at := s.i
	if s.i+1 >= len(s.b) {
		s.i = len(s.b)
		return 0, s.fail("inside an escape sequence")
	}
	c := s.b[s.i+1]
	s.i += 2
	if r := unescaped[c]; r != 0 {
		return rune(r), nil
	}
	if c == 'u' {
		r, err := s.hex4()
		if err != nil || !utf16.IsSurrogate(r) {
			return r, err
		}
		if s.i+1 < len(s.b) && s.b[s.i] == '\\' && s.b[s.i+1] == 'u' {
			s.i += 2
			low, err := s.hex4()
			if err != nil {
				return 0, err
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return r, nil
			}
		}
		s.i = at
		return 0, s.fail("half a surrogate pair, which is no character")
	}
	s.i = at
	return 0, s.fail("unknown escape sequence")
}

func (s *scanner) hex4() (rune, error) {
	var r rune
	for k := 0; k < 4; k++ {
		if s.i >= len(s.b) {
			return 0, s.fail("inside an escape sequence")
		}
		c := s.b[s.i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, s.fail("expected four hexadecimal digits")
		}
		r = r<<4 | rune(c)
		s.i++
	}
	return r, nil
}

// unescaped holds the characters that escape sequences of two characters stand for. The form that
// NIP-01 hashes has these sequences but the one of a slash.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f',
}

// appendRune appends r in the form that NIP-01 hashes.
func appendRune(dst []byte, r rune) []byte {
	if k := strings.IndexRune("\"\\\n\r\t\b\f", r); k >= 0 {
		return append(dst, '\\', `"\nrtbf`[k])
	}
	return utf8.AppendRune(dst, r)
}

// integer reads a number that has no fraction and no exponent, and returns its digits.
func (s *scanner) integer() ([]byte, error) {
	s.space()
	start := s.i
	s.next('-')
	digits := s.i
	n := s.digits()
	fraction := s.i < len(s.b) && (s.b[s.i] == '.' || s.b[s.i]|0x20 == 'e')
	if n == 0 || fraction || s.b[digits] == '0' && s.i-start > 1 {
		return nil, s.fail("expected a whole number")
	}
	return s.b[start:s.i], nil
}

// skipLast skips a value, after which the text must end.
func (s *scanner) skipLast() error {
	if err := s.skip(0); err != nil {
		return err
	}
	return s.end()
}

// maxDepth limits the nesting of ignored values, and with it the recursion depth.
const maxDepth = 200

// skip skips a JSON value of any kind. depth is the number of lists and objects around it.
func (s *scanner) skip(depth int) error {
	if depth > maxDepth {
		return s.fail("nested more than %d deep", maxDepth)
	}
	switch c := s.peek(); {
	case c == '"':
		_, err := s.hashed(&s.text)
		return err
	case c == '{' || c == '[':
		s.i++
		closing := c + 2 // in ASCII, ] and } come two places after [ and {
		if s.take(closing) {
			return nil
		}
		for {
			if c == '{' {
				name, err := s.hashed(&s.text)
				if err != nil {
					return err
				}
				s.sig = s.sig || bytes.EqualFold(name, []byte(`"sig"`))
				if err := s.expect(':'); err != nil {
					return err
				}
			}
			if err := s.skip(depth + 1); err != nil {
				return err
			}
			if s.take(closing) {
				return nil
			}
			if !s.take(',') {
				return s.fail("expected ',' or %q", closing)
			}
		}
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.b[s.i:], []byte(word)) {
			s.i += len(word)
			return nil
		}
	}
	return s.fail("expected a value")
}

// number skips a JSON number of any form.
func (s *scanner) number() error {
	s.next('-')
	start := s.i
	if s.digits() == 0 || s.b[start] == '0' && s.i > start+1 {
		return s.fail("bad number")
	}
	if s.next('.') && s.digits() == 0 {
		return s.fail("bad number")
	}
	if s.next('e') || s.next('E') {
		if !s.next('+') {
			s.next('-')
		}
		if s.digits() == 0 {
			return s.fail("bad number")
		}
	}
	return nil
}

func (s *scanner) digits() int {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i - start
}
