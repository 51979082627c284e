package nostr

import (
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
)

// Most programs write events in exactly the form that is hashed: without white space, and with only
// the seven escape sequences of NIP-01. Values in that form need not be copied. The functions in
// this file recognize them. For any other value, valid or not, they return nil or false and leave
// the scanner where it was.

// next consumes the next byte if it is c, and reports whether it was.
func (s *scanner) next(c byte) bool {
	if s.i >= len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

// rawString reads a string and returns it with its quotes if it is already in the form that is
// hashed. Otherwise it returns nil.
func (s *scanner) rawString() []byte {
	begin := s.i
	if !s.passString() {
		s.i = begin
		return nil
	}
	return s.b[begin:s.i]
}

// rawTags reads a list of lists of strings and returns it if it is already in the form that is
// hashed. Otherwise it returns nil.
func (s *scanner) rawTags() []byte {
	begin := s.i
	if !s.passList((*scanner).passTag) {
		s.i = begin
		return nil
	}
	return s.b[begin:s.i]
}

func (s *scanner) passTag() bool { return s.passList((*scanner).passString) }

func (s *scanner) passList(pass func(*scanner) bool) bool {
	if !s.next('[') {
		return false
	}
	if s.next(']') {
		return true
	}
	for pass(s) {
		if s.next(']') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
	return false
}

func (s *scanner) passString() bool {
	if !s.next('"') {
		return false
	}
	for {
		s.i += jsonfile.PlainASCII(s.b[s.i:])
		if s.i+1 >= len(s.b) {
			return false // the string is not complete: its object's end would follow
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return true
		case c == '\\':
			switch s.b[s.i+1] {
			case '"', '\\', 'n', 'r', 't', 'b', 'f':
				s.i += 2
			default:
				return false
			}
		case c < 0x20:
			return false
		default:
			r, n := utf8.DecodeRune(s.b[s.i:])
			if r == utf8.RuneError && n == 1 {
				return false
			}
			s.i += n
		}
	}
}

// rawHex reads a string of lowercase hexadecimal digits without escapes that encodes len(dst)
// bytes.
func (s *scanner) rawHex(dst []byte) bool {
	n := 2 * len(dst)
	if len(s.b)-s.i < n+2 || s.b[s.i] != '"' || s.b[s.i+n+1] != '"' {
		return false
	}
	if jsonfile.DecodeHex(dst, s.b[s.i+1:]) < len(dst)&^3 {
		return false
	}
	s.i += n + 2
	return true
}
