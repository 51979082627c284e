package vartime

import "math/bits"

// positions is how many digits the wNAF of a 128-bit number can have: rounding
// a leading digit up may carry into one position more.
const positions = 129

// A digitRow holds what is to be added at one position.
type digitRow struct {
	p, lambdaP int16 // digits of the halves of b
	g, highG   int16 // for the halves of a, which multiple, counted from 1; 0 for none
}

// wnaf calls emit with every nonzero digit of the width-w non-adjacent form of
// hi·2^64 + lo, lowest position first, and returns the number of positions in
// use. Digits are odd and below 2^(w−1) in magnitude, and any two are at least
// w positions apart. 2 ≤ w ≤ 15. (Hankerson, Menezes, Vanstone: Guide to
// Elliptic Curve Cryptography, algorithm 3.35, with runs of zeros taken in one
// step.)
func wnaf(hi, lo uint64, w uint, emit func(position int, digit int16)) int {
	position, used := 0, 0
	for hi|lo != 0 {
		zeros := bits.TrailingZeros64(lo)
		if lo == 0 {
			zeros = 64 + bits.TrailingZeros64(hi)
		}
		hi, lo = shiftRight(hi, lo, uint(zeros))
		position += zeros

		digit := int64(lo & (1<<w - 1))
		hi, lo = shiftRight(hi, lo, w)
		if digit >= 1<<(w-1) {
			digit -= 1 << w
			var carry uint64
			lo, carry = bits.Add64(lo, 1, 0)
			hi += carry
		}
		emit(position, int16(digit))
		used = position + 1
		position += int(w)
	}
	return used
}

// shiftRight returns hi·2^64 + lo shifted right by n < 128.
func shiftRight(hi, lo uint64, n uint) (uint64, uint64) {
	if n >= 64 {
		return 0, hi >> (n - 64)
	}
	// Go defines a shift by 64 as zero, which is right for n = 0.
	return hi >> n, lo>>n | hi<<(64-n)
}
