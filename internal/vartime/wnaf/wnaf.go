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
	above := (64 - w) & 63 // the mask tells the compiler that the number is below 64
	for hi|lo != 0 {
		if lo == 0 {
			hi, lo = 0, hi
			position += 64
		}
		zeros := uint(bits.TrailingZeros64(lo))
		hi, lo = shiftRight(hi, lo, zeros)
		position += zeros

		// The digit is the low w bits as a signed number. Both it and the number are odd, so half
		// of their difference is the difference of their halves, rounded down. This has no overflow,
		// and no branch on the digit's sign, which cannot be predicted.
		value := int64(lo<<above) >> above
		digits[count] = Digit{int16(position), int16(value)}
		count++
		half := value >> 1
		hi, lo = shiftRight(hi, lo, 1)
		var borrow uint64
		lo, borrow = bits.Sub64(lo, uint64(half), 0)
		hi, _ = bits.Sub64(hi, uint64(half>>63), borrow)
		position++
	}
	return count
}

// shiftRight returns the limbs of hi·2^64 + lo, shifted right by n < 64.
func shiftRight(hi, lo uint64, n uint) (uint64, uint64) {
	n &= 63 // this tells the compiler that n is below 64
	return hi >> n, lo>>n | hi<<1<<(63-n)
}
