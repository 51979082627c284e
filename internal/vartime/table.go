package vartime

import (
	_ "embed"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// window is the width in bits of the wNAF digits of b, the scalar of a variable point P. The table
// of the odd multiples of P below 2^(window−1) has 8 entries; with 4 or 16 entries a multiplication
// takes longer.
const window = 5

// An entry of a table is a point with canonical coordinates of four limbs each, least significant
// limb first.
type entry struct{ x, y [4]uint64 }

// pickSigned sets q to digit·P, or to −digit·P if negate is all ones. table holds the odd multiples
// of P.
func pickSigned(q *point.Affine, table *[1 << (window - 2)]entry, digit int16, negate uint64) {
	sign := digit >> 15
	e := &table[((digit^sign)-sign)>>1]
	q.X.SetLimbs(e.x[0], e.x[1], e.x[2], e.x[3])
	setSigned(&q.Y, e.y[0], e.y[1], e.y[2], e.y[3], negate^uint64(sign))
}

// setSigned sets y to the number with the four limbs l0 to l3, which must be canonical, or to its
// negative if negate is all ones. The negative is p − y = ^y − (c − 1), where ^y = 2^256 − 1 − y
// and p = 2^256 − c; this subtraction never borrows.
func setSigned(y *field.Element, l0, l1, l2, l3, negate uint64) {
	const c = field.C
	l0, borrow := bits.Sub64(l0^negate, negate&(c-1), 0)
	l1, borrow = bits.Sub64(l1^negate, 0, borrow)
	l2, borrow = bits.Sub64(l2^negate, 0, borrow)
	l3, _ = bits.Sub64(l3^negate, 0, borrow)
	y.SetLimbs(l0, l1, l2, l3)
}

// setPacked sets q to the packed point e, or to its opposite if negate is all ones.
func setPacked(q *point.Affine, e string, negate uint64) {
	if wordsPay {
		setPackedWords(q, e)
		l0, l1, l2, l3 := q.Y.Words()
		setSigned(&q.Y, l0, l1, l2, l3, negate)
		return
	}
	e = e[:point.PackedSize]
	q.X.SetLimbs(
		point.PackedLimb(e[0:]), point.PackedLimb(e[8:]),
		point.PackedLimb(e[16:]), point.PackedLimb(e[24:]),
	)
	setSigned(
		&q.Y,
		point.PackedLimb(e[32:]), point.PackedLimb(e[40:]),
		point.PackedLimb(e[48:]), point.PackedLimb(e[56:]),
		negate,
	)
}

//go:generate go run gen.go

// A baseTable holds the odd multiples below 2^(window−1) of two points: a base point B and 2^128·B.
// An entry is eight little-endian 64-bit limbs: four of x, least significant limb first, then four
// of y.
type baseTable struct {
	window    uint
	low, high string // multiples of B, and of 2^128·B
}

// BaseWindow is the width in bits of wNAF digits for the table of G.
const BaseWindow = 15

const baseSize = point.PackedSize << (BaseWindow - 2)

// baseData holds g.bin, which gen.go writes. A test computes the table again.
//
//go:embed g.bin
var baseData string

// generatorTable returns the table of G.
func generatorTable() baseTable {
	return baseTable{BaseWindow, baseData[:baseSize], baseData[baseSize:]}
}

// pickBase sets q to digit·B for an odd digit. half is one of the two halves of B's baseTable; for
// the half of 2^128·B, q is digit·2^128·B.
func pickBase(q *point.Affine, half string, digit int16) {
	sign := digit >> 15
	at := int(((digit^sign)-sign)>>1) * point.PackedSize
	setPacked(q, half[at:], uint64(sign))
}

// GeneratorMultiples returns the odd multiples of G below 2^(BaseWindow−1), in ascending
// order, packed as described at point.PackedSize.
func GeneratorMultiples() string { return generatorTable().low }
