package vartime

import "github.com/koblitz-go/koblitz/internal/vartime/wnaf"

// A stream yields the wNAF digits of a number from the highest position down. The zero value has
// no digits.
type stream struct {
	left   int
	digits [wnaf.MaxDigits + 1]wnaf.Digit // digits[0] ends the stream; then lowest first
}

// read sets s to the wNAF of hi·2^64 + lo with window w, and returns its digits, lowest
// position first.
func (s *stream) read(hi, lo uint64, w uint) []wnaf.Digit {
	s.left = wnaf.Digits((*[wnaf.MaxDigits]wnaf.Digit)(s.digits[1:]), hi, lo, w)
	return s.digits[1 : 1+s.left]
}

// next returns the position of the next digit times the number of streams, plus i. So the
// maximum over all streams i determines the next digit and its stream. It returns −1 if there
// is no digit.
func (s *stream) next(i int) int {
	n := int(s.digits[s.left].Position)*streams + i
	if s.left == 0 {
		n = -1
	}
	return n
}

// take returns the value of the next digit and removes it from the stream.
func (s *stream) take() int16 {
	v := s.digits[s.left].Value
	s.left--
	return v
}
