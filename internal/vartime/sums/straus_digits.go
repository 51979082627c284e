package sums

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// The digits of Straus in lanes are Eisenstein integers. λ is a root of
// x² + x + 1, so that k1 + k2·λ stands for the element k1 + k2·ω of ℤ[ω], and that
// is written to the base 2^width with digits from ℤ[ω]: one for both halves of a
// scalar. A residue modulo 2^width is represented by an element of least norm,
// a² − a·b + b² for a + b·ω. The six units ±1, ±ω, ±ω² cost a sign of y and a
// factor of x, so that a table has one entry for six digits: 11 for the 63 residues
// modulo 8 that are not zero, and 3 for the 15 modulo 4. A digit for each half, of
// as many bits as make two tables of 8 entries, would take half as many additions
// more.

// A unitDigit is a digit in five fields: what it carries into k1, times digitStride,
// and into k2; 1 if its opposite is in the table; the row in the table, three times
// the entry's number plus a power of λ; and 1 if it is not zero.
type unitDigit uint16

const (
	digitCarry    = 1<<4 - 1
	digitNegative = 4 // the bits from which on fields are
	digitRow      = 5
	digitSome     = 12
)

// digitStride is more than the bits of a half come to, with a carry.
const digitStride = 9

// A digitTable holds digits by k1's bits times digitStride plus k2's bits.
type digitTable [digitStride * digitStride]unitDigit

// digitsOf and multipleSteps are in straus_units.go.
//
//go:generate go run gen.go

// countDigits returns how many digits of width bits a term has at most.
//
// What i digits leave of a half k is less than |k|/2^(width·i) + 5/7 in magnitude:
// the parts of a digit are at most 5, and for two bits, at most 2. With |k| < 0.636·2^128
// (scalar.Split), that is below 2 before the last digit. It then takes all, since a + b·ω
// with a and b from −1 to 1 is a digit. Of a short half, below 2^64, 22 digits of three bits
// leave less than 1, which is nothing.
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

// A strausRow is a digit of every lane: the places of the multiples, in bytes from the
// tables' begin on, and which lanes have one that is to be negated, and any.
type strausRow struct {
	offsets lanes.Vector
	masks   uint16 // neg, and some from bit 8 on
}

func (r *strausRow) neg() lanes.Mask  { return lanes.Mask(r.masks) }
func (r *strausRow) some() lanes.Mask { return lanes.Mask(r.masks >> lanes.Width) }

// set sets the digit of a lane, counted round, which had none.
func (r *strausRow) set(lane int, d unitDigit) {
	lane %= lanes.Width
	r.offsets[lane] = uint64(d>>digitRow&63)*packedAffineSize + uint64(lane)*point.PackedSize
	r.masks |= uint16(d>>digitNegative) & 0x101 << lane
}

// readDigits sets the rows of a group, which are clear, and forgets those at the
// top that are empty.
func (s *Sum) readDigits(g *strausGroup) {
	count := countDigits(g.width, g.first >= s.full)
	digits, mask := digitsOf(g.width), uint64(1)<<g.width-1
	log := bits.Len(uint(g.parts)) - 1
	// Two terms at a time: a digit waits for what the one before carries.
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
				// A second term that is not there has no digits, and may have the
				// lanes of the first.
				row.set(lane1|part, d1)
				row.set(lane0|part, d0)
			}
		}
	}
	for n := len(g.rows); n > 0 && g.rows[n-1].some() == 0; n-- {
		g.rows = g.rows[:n-1]
	}
}

// complement returns h as a two's complement.
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

// bitsAt returns 64 bits of k from bit number at on. Above, k goes on as it ends.
func bitsAt(k *[3]uint64, at int) uint64 {
	i, shift := at/64, uint(at%64)
	if i >= 2 {
		return k[2]
	}
	return k[i]>>shift | k[i+1]<<1<<(63-shift)
}
