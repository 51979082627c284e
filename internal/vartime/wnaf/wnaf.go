// Package wnaf converts public numbers to the width-w non-adjacent form, wNAF (Hankerson,
// Menezes, Vanstone, "Guide to Elliptic Curve Cryptography", section 3.3.1).
package wnaf

import "math/bits"

// Positions is the maximum length, including zeros, of the wNAF of a 128-bit number. The leading
// digit may be rounded up, which carries into one more position.
const Positions = 129

// A Digit represents the number Value·2^Position.
type Digit struct{ Position, Value int16 }

// MaxDigits is the maximum number of nonzero digits in the wNAF of a 128-bit number. The smallest
// window, 2, gives the most digits.
const MaxDigits = (Positions + 1) / 2

// Digits writes the nonzero digits of the width-w non-adjacent form of hi·2^64 + lo to the array,
// lowest position first, and returns the number of digits. Digits are odd and below 2^(w−1) in
// magnitude, and any two are at least w positions apart. w must be from 2 to 15. (Hankerson,
// Menezes, Vanstone: Guide to Elliptic Curve Cryptography, algorithm 3.35; this code skips a run of
// zeros in one step.)
func Digits(digits *[MaxDigits]Digit, hi, lo uint64, w uint) int {
	position, count := uint(0), 0
	for hi|lo != 0 {
		zeros := uint(bits.TrailingZeros64(lo))
		if lo == 0 {
			zeros = 64 + uint(bits.TrailingZeros64(hi))
		}
		hi, lo = shiftRight(hi, lo, zeros)
		position += zeros

		// The digit is the low w bits as a signed number. If it is negative, add 1 to the remaining
		// bits. This takes no branch, because the sign cannot be predicted.
		value := int64(lo<<(64-w)) >> (64 - w)
		hi, lo = shiftRight(hi, lo, w)
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(value)>>63, 0)
		hi += carry

		digits[count] = Digit{int16(position), int16(value)}
		count++
		position += w
	}
	return count
}

// shiftRight returns the limbs of hi·2^64 + lo, shifted right by n < 128.
func shiftRight(hi, lo uint64, n uint) (uint64, uint64) {
	if n >= 64 {
		return 0, hi >> (n - 64)
	}
	// Go defines a shift by 64 as zero, which is right for n = 0.
	return hi >> n, lo>>n | hi<<(64-n)
}
