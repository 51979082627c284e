package sums

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds the digits of Straus' algorithm in lanes, which are Eisenstein integers: elements
// of ℤ[ω] with ω² + ω + 1 = 0. docs/msm.md, "Digits of ℤ[ω]", describes them.
//
// λ is a root of x² + x + 1, so a scalar k1 + k2·λ corresponds to the element k1 + k2·ω of ℤ[ω].
// This element is written to the base 2^width with digits from ℤ[ω], so that one digit serves both
// halves of a scalar. The digit for a residue modulo 2^width is an element of least norm, where a +
// b·ω has the norm a² − a·b + b². To multiply a point by one of the six units ±1, ±ω, ±ω² takes at
// most a negation of y and a multiplication of x. So a table needs one entry for six digits: 11
// entries for the 63 nonzero residues modulo 8, and 3 for the 15 modulo 4. Separate digits for each
// half, with two tables of 8 entries, would need half as many additions more.

// A unitDigit is a digit in four fields. The first is the carries: the carry into k1 times
// digitStride, plus the carry into k2. The second is 1 if the table has the negative of the digit.
// The third is the row of the table: three times the number of the entry, plus an exponent of λ.
// The fourth is 1 if the digit is not zero.
type unitDigit uint16

// digitCarry is the mask of the carries in a unitDigit. The constants after it are the bit offsets
// of its other three fields.
const (
	digitCarry    = 1<<4 - 1
	digitNegative = 4
	digitRow      = 5
	digitSome     = 12
)

// digitStride is the number of values that the low three bits of a half scalar plus a carry can
// have: 0 to 8.
const digitStride = 9

// A digitTable holds a digit for the low bits of two halves k1 and k2 of a scalar. The index is
// digitStride times the low bits of k1 with the carry added, plus the low bits of k2 with the carry
// added.
type digitTable [digitStride * digitStride]unitDigit

// The functions digitsOf and multipleSteps are generated, in straus_units.go.
//
//go:generate go run gen.go

// countDigits returns the maximum number of digits of a term, for digits of width bits.
//
// After i digits, the remainder of a half k is less than |k|/2^(width·i) + 5/7 in magnitude,
// because the parts of a digit are at most 5 and, for two bits, at most 2. With |k| < 0.636·2^128
// (scalar.Split), the remainder is below 2 before the last digit. The last digit equals the whole
// remainder, since every a + b·ω with a and b from −1 to 1 is a digit. For a short half, below
// 2^64, the remainder after 22 digits of three bits is less than 1, hence 0.
func countDigits(width int, short bool) int {
	switch {
	case width == 2 && short:
		return 33
	case width == 2:
		return 65
	case short:
		return 22
	}
	return 44
}

// A strausRow holds one digit of every lane: the byte offset of each lane's multiple in the tables,
// the lanes whose multiple is to be negated, and the lanes that have a digit.
//
// The offsets are written long before a kernel reads them as one vector. If they were written just
// before, the kernel would wait, because CPUs do not forward several stores to one load.
type strausRow struct {
	offsets   lanes.Vector
	neg, some lanes.Mask
}

// noDigits removes all digits from rows.
func noDigits(rows []strausRow) {
	empty := strausRow{neg: lanes.None(), some: lanes.None()}
	for i := range rows {
		rows[i] = empty
	}
}

// set sets the digit of lane number (lane mod lanes.Width) to d. This lane must have no digit
// before the call.
func (r *strausRow) set(lane int, d unitDigit) {
	lane &= lanes.Width - 1
	r.offsets.Set(lane, uint64(d>>digitRow&63)*packedAffineSize+uint64(lane)*point.PackedSize)
	r.neg.Put(lane, uint64(d>>digitNegative)&1)
	r.some.Put(lane, uint64(d>>digitSome)&1)
}

// readUnits sets the rows of a group to the digits of its terms. The rows must have no digits. It
// removes rows without digits from the top.
func (s *Sum) readUnits(g *strausGroup) {
	count := countDigits(g.width, g.first >= s.full)
	digits, mask := digitsOf(g.width), uint64(1)<<g.width-1
	log := bits.Len(uint(g.parts)) - 1
	// The loop reads two terms at a time, because each digit of a term must wait for the carry of
	// the term's previous digit.
	for j := 0; j < g.count; j += 2 {
		var k [2][2][3]uint64
		for t := range min(2, g.count-j) {
			h := s.halves[2*(g.first+j+t):][:2]
			k[t] = [2][3]uint64{h[0].complement(), h[1].complement()}
		}
		var carry0, carry1 uint64
		lane0, lane1 := j<<log, (j+1)<<log
		for i := 0; i < count; {
			x0, y0 := bitsAt(&k[0][0], i*g.width), bitsAt(&k[0][1], i*g.width)
			x1, y1 := bitsAt(&k[1][0], i*g.width), bitsAt(&k[1][1], i*g.width)
			for end := min(i+64/g.width, count); i < end; i++ {
				d0 := digits[x0&mask*digitStride+y0&mask+carry0]
				d1 := digits[x1&mask*digitStride+y1&mask+carry1]
				carry0, carry1 = uint64(d0&digitCarry), uint64(d1&digitCarry)
				x0, y0 = x0>>(g.width&3), y0>>(g.width&3)
				x1, y1 = x1>>(g.width&3), y1>>(g.width&3)
				row := &g.rows[i>>log]
				part := i & (g.parts - 1)
				// If there is no second term, d1 is 0, and lane1 may be a lane of the first term.
				row.set(lane1|part, d1)
				row.set(lane0|part, d0)
			}
		}
	}
	for n := len(g.rows); n > 0 && !g.rows[n-1].some.Any(); n-- {
		g.rows = g.rows[:n-1]
	}
}

// complement returns the half scalar h as a two's complement number of 192 bits.
func (h *half) complement() (k [3]uint64) {
	if h[2] == 0 {
		return [3]uint64{h[0], h[1], 0}
	}
	var borrow uint64
	k[0], borrow = bits.Sub64(0, h[0], 0)
	k[1], borrow = bits.Sub64(0, h[1], borrow)
	k[2] = -borrow
	return k
}

// bitsAt returns 64 bits of k from the bit with the given number up. The bits above bit 127 are
// those of k[2], repeated.
func bitsAt(k *[3]uint64, number int) uint64 {
	i, shift := number/64, uint(number%64)
	if i >= 2 {
		return k[2]
	}
	return k[i]>>shift | k[i+1]<<1<<(63-shift)
}
