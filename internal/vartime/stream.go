package vartime

import "github.com/koblitz-go/koblitz/internal/vartime/wnaf"

// A stream yields the wNAF digits of a number from the highest position down. The zero value has
// no digits.
type stream struct {
	left   int
	digits [wnaf.MaxDigits + 1]wnaf.Digit // digits[0] ends the stream; the lowest digit follows
}

// read sets s to the wNAF of hi·2^64 + lo with window w, and returns the digits, lowest position
// first.
func (s *stream) read(hi, lo uint64, w uint) []wnaf.Digit {
	s.left = wnaf.Digits((*[wnaf.MaxDigits]wnaf.Digit)(s.digits[1:]), hi, lo, w)
	return s.digits[1 : 1+s.left]
}

// next returns an integer that orders the streams by their next digit: the digit's position times
// the number of streams, plus i, the number of this stream. So the maximum over all streams selects
// the next digit and its stream. next returns −1 if the stream has no more digits.
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
