package eisenstein

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A digit has these bits. The lowest are the carries: the carry into k1 times digitStride, plus the
// carry into k2. digitNegative is set if the table has the negative of the digit, and digitSome if
// the digit is not zero. The rest is the byte offset of the digit's x in a table: a multiple of
// entrySize, where the entry begins, plus digitSecond and digitHalf, which select one of the
// entry's three x coordinates.
type digit uint16

const (
	digitCarry    = 1<<4 - 1
	digitNegative = 1 << 4
	digitHalf     = 1 << 5 // the second half of a point
	digitSome     = 1 << 6
	digitSecond   = 1 << 9 // the second part of the entry

	entrySize = EntryParts * lanes.Width * point.PackedSize
)

// digitStride is the number of values that the low three bits of a half scalar plus a carry can
// have: 0 to 8.
const digitStride = 9

// A digitTable holds a digit for the low bits of two halves k1 and k2 of a scalar. The index is
// digitStride times the low bits of k1 with the carry added, plus the low bits of k2 with the carry
// added.
type digitTable [digitStride * digitStride]digit

// MaxDigits is the maximum number of digits of three bits for the halves of a scalar.
const MaxDigits = 44

// Count returns the maximum number of digits of a term, for digits of width bits.
//
// After i digits, the remainder of a half k is less than |k|/2^(width·i) + 5/7 in magnitude,
// because the parts of a digit are at most 5 and, for two bits, at most 2. With |k| < 0.636·2^128
// (scalar.Split), the remainder is below 2 before the last digit. The last digit equals the whole
// remainder, since every a + b·ω with a and b from −1 to 1 is a digit.
func Count(width int) int {
	if width == 2 {
		return 65
	}
	return MaxDigits
}

// A DigitVector holds a digit for each lane. It is written long before a kernel reads it as one
// vector. If it were written just before, the kernel would wait, because CPUs do not forward
// several stores to one load.
type DigitVector struct{ digits lanes.Vector }

// IsZero reports whether every digit of r is 0.
func (r *DigitVector) IsZero() bool {
	for j := range lanes.Width {
		if r.digits.At(j)&digitSome != 0 {
			return false
		}
	}
	return true
}

// A Half is half a scalar: a number of 192 bits in two's complement. Its magnitude is below 2^128.
type Half [3]uint64

// NewHalf returns the number lo + hi·2^64, or its opposite if neg is 1.
func NewHalf(lo, hi, neg uint64) (k Half) {
	var c uint64
	k[0], c = bits.Add64(lo^-neg, neg, 0)
	k[1], c = bits.Add64(hi^-neg, 0, c)
	k[2] = -neg + c
	return k
}

// A Term holds the halves k1 and k2 of a scalar k1 + k2·λ.
type Term [2]Half

// ReadPair writes the digits of three bits of two terms to vectors: those of term t to lane
// first+t. first must be even. Each digit of a term must wait for the carry of the term's previous
// digit. Meanwhile the CPU can read a digit of the other term, so two terms are read together.
func ReadPair(vectors []DigitVector, terms *[2]Term, first int) {
	digits := digitsOf(3)
	var carryA, carryB uint64
	for i := 0; i < len(vectors); i += chunkBits / 3 {
		a, b := terms[0].chunk(3*i), terms[1].chunk(3*i)
		part := vectors[i:min(i+chunkBits/3, len(vectors))]
		carryA, carryB = digits.readChunks(part, a, b, carryA, carryB, first)
	}
}

// readChunks does the work of ReadPair for a chunk of each term, with the given carries. It returns
// the carries of the next chunks. (A function of its own keeps all variables in registers.)
func (t *digitTable) readChunks(
	vectors []DigitVector, a, b, carryA, carryB uint64, first int,
) (uint64, uint64) {
	const mask = 7 * (1<<32 + 1)
	first &= lanes.Width - 2
	for i := range vectors {
		da := uint64(t[a&mask*chunkIndex>>32+carryA])
		db := uint64(t[b&mask*chunkIndex>>32+carryB])
		a, b = a>>3, b>>3
		carryA, carryB = da&digitCarry, db&digitCarry
		vectors[i].digits.Set(first, da)
		vectors[i].digits.Set(first+1, db)
	}
	return carryA, carryB
}

// Read writes the digits of a term to vectors. It uses the lanes from number first on, as many as
// parts: digit i is in vectors[i/parts], in lane first + i%parts. A digit has width bits, two or
// three.
func Read(vectors []DigitVector, t *Term, first, parts, width int) {
	digits, mask := digitsOf(width), (uint64(1)<<width-1)*(1<<32+1)
	var carry, k uint64
	for i := range len(vectors) * parts {
		if i%(chunkBits/width) == 0 {
			k = t.chunk(i * width)
		}
		d := uint64(digits[k&mask*chunkIndex>>32+carry])
		k >>= width
		carry = d & digitCarry
		vectors[i/parts].digits.Set(first+i%parts, d)
	}
}

// A chunk holds the next bits of k1, for several digits, and from bit 32 on those of k2. If all
// bits but those of the lowest digits k1 and k2 are cleared, a chunk times chunkIndex has
// digitStride·k1 + k2 from bit 32 on.
const (
	chunkBits  = 30
	chunkIndex = digitStride<<32 + 1
)

// chunk returns 32 bits of k1 from the bit with the given number up, and above them those of k2.
func (k *Term) chunk(number int) uint64 {
	return k[0].from(number)&(1<<32-1) | k[1].from(number)<<32
}

// from returns 64 bits of k from the bit with the given number up. The bits above bit 127 are those
// of k[2], repeated.
func (k *Half) from(number int) uint64 {
	i, shift := number/64, uint(number%64)
	if i >= 2 {
		return k[2]
	}
	return k[i]>>shift | k[i+1]<<1<<(63-shift)
}
