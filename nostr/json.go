package nostr

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner parses JSON (RFC 8259).
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
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\r' ||
		s.b[s.i] == '\n') {
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
	if s.peek() != c || s.i >= len(s.b) {
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

// string reads a JSON string and appends it to dst in the form that NIP-01 hashes. In this form,
// which includes the quotes, seven characters are escaped and all others are literal, even control
// characters.
func (s *scanner) string(dst []byte) (out []byte, err error) {
	if err := s.expect('"'); err != nil {
		return dst, s.fail("expected a string")
	}
	dst = append(dst, '"')
	start := s.i // start of the characters that are copied unchanged, at once
	for {
		s.i += plainASCII(s.b[s.i:])
		if s.i >= len(s.b) {
			return dst, s.fail("inside a string")
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return append(dst, s.b[start:s.i]...), nil
		case c == '\\':
			dst = append(dst, s.b[start:s.i]...)
			r, err := s.escape()
			if err != nil {
				return dst, err
			}
			dst = appendRune(dst, r)
			start = s.i
		case c < 0x20:
			return dst, s.fail("control character 0x%02x in a string", c)
		default:
			r, n := utf8.DecodeRune(s.b[s.i:])
			if r == utf8.RuneError && n == 1 {
				return dst, s.fail("text is not UTF-8")
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
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'u':
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

// appendRune appends r in the form that NIP-01 hashes.
func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"':
		return append(dst, '\\', '"')
	case '\\':
		return append(dst, '\\', '\\')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return utf8.AppendRune(dst, r)
}

// integer reads a number that has no fraction and no exponent, and returns its digits.
func (s *scanner) integer() ([]byte, error) {
	s.space()
	start := s.i
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	digits := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	lit := s.b[start:s.i]
	fraction := s.i < len(s.b) && (s.b[s.i] == '.' || s.b[s.i]|0x20 == 'e')
	if s.i == digits || fraction || s.b[digits] == '0' && len(lit) > 1 {
		return nil, s.fail("expected a whole number")
	}
	return lit, nil
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
		return s.skipString()
	case c == '{' || c == '[':
		s.i++
		closing := c + 2 // in ASCII, ] and } come two places after [ and {
		if s.take(closing) {
			return nil
		}
		for {
			if c == '{' {
				if err := s.skipString(); err != nil {
					return err
				}
				s.sig = s.sig || bytes.EqualFold(s.text, []byte(`"sig"`))
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

// skipString skips a string or a field name.
func (s *scanner) skipString() (err error) {
	s.text, err = s.string(s.text[:0])
	return err
}

// number skips a JSON number of any form.
func (s *scanner) number() error {
	if s.b[s.i] == '-' {
		s.i++
	}
	start := s.i
	if s.digits() == 0 || s.b[start] == '0' && s.i > start+1 {
		return s.fail("bad number")
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if s.digits() == 0 {
			return s.fail("bad number")
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
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
