package vartime

import "math/bits"

// positions is how many digits the wNAF of a 128-bit number can have: rounding
// a leading digit up may carry into one position more.
const positions = 129

// A digit of a wNAF: value·2^position.
type digit struct{ position, value int16 }

// maxDigits is the most digits that the wNAF of a 128-bit number can have, for
// the narrowest window.
const maxDigits = (positions + 1) / 2

// wnaf sets the first elements of digits to the nonzero digits of the width-w
// non-adjacent form of hi·2^64 + lo, lowest position first, and returns how
// many there are. They are odd and below 2^(w−1) in magnitude, and any two are
// at least w positions apart. 2 ≤ w ≤ 15. (Hankerson, Menezes, Vanstone: Guide
// to Elliptic Curve Cryptography, algorithm 3.35, with runs of zeros taken in
// one step.)
func wnaf(digits *[maxDigits]digit, hi, lo uint64, w uint) int {
	position, count := uint(0), 0
	for hi|lo != 0 {
		zeros := uint(bits.TrailingZeros64(lo))
		if lo == 0 {
			zeros = 64 + uint(bits.TrailingZeros64(hi))
		}
		hi, lo = shiftRight(hi, lo, zeros)
		position += zeros

		// The low w bits as a signed number; if it is negative, the rest lacks
		// one. No branch: nobody can predict the sign.
		value := int64(lo<<(64-w)) >> (64 - w)
		hi, lo = shiftRight(hi, lo, w)
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(value)>>63, 0)
		hi += carry

		digits[count] = digit{int16(position), int16(value)}
		count++
		position += w
	}
	return count
}

// A stream is the digits of a number, to be taken from the highest position
// down. The zero value has none.
type stream struct {
	left   int
	digits [maxDigits + 1]digit // from the second on; the first ends the stream
}

// read sets s to the wNAF of hi·2^64 + lo, and returns its digits, lowest
// position first.
func (s *stream) read(hi, lo uint64, w uint) []digit {
	s.left = wnaf((*[maxDigits]digit)(s.digits[1:]), hi, lo, w)
	return s.digits[1 : 1+s.left]
}

// next returns the position of the next digit times the number of streams, plus
// i, or −1 if there is none.
func (s *stream) next(i int) int {
	n := int(s.digits[s.left].position)*streams + i
	if s.left == 0 {
		n = -1
	}
	return n
}

// take returns the value of the next digit, and goes on to the one after it.
func (s *stream) take() int16 {
	v := s.digits[s.left].value
	s.left--
	return v
}

// shiftRight returns hi·2^64 + lo shifted right by n < 128.
func shiftRight(hi, lo uint64, n uint) (uint64, uint64) {
	if n >= 64 {
		return 0, hi >> (n - 64)
	}
	// Go defines a shift by 64 as zero, which is right for n = 0.
	return hi >> n, lo>>n | hi<<(64-n)
}
