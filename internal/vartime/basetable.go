package vartime

import (
	_ "embed"

	"github.com/koblitz-go/koblitz/internal/point"
)

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
