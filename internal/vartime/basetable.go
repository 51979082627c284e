package vartime

import (
	_ "embed"

	"github.com/koblitz-go/koblitz/internal/point"
)

//go:generate go run gen.go

// A baseTable holds the odd multiples below 2^(window−1) of a base point B and
// of 2^128·B, each entry as eight little-endian 64-bit limbs: x, least
// significant limb first, then y.
type baseTable struct {
	window    uint
	low, high string // multiples of B; of 2^128·B
}

const (
	entrySize  = 64
	baseWindow = 15
	baseSize   = entrySize << (baseWindow - 2)
)

// g.bin is written by gen.go, and a test makes it again.
//
//go:embed g.bin
var baseData string

// generatorTable returns the table of G.
func generatorTable() baseTable {
	return baseTable{baseWindow, baseData[:baseSize], baseData[baseSize:]}
}

// pickBase sets q to digit·B for half a baseTable of B.
func pickBase(q *point.Affine, half string, digit int16) {
	negate := digit < 0
	if negate {
		digit = -digit
	}
	at := int(digit>>1) * entrySize
	loadEntry(q, half[at:at+entrySize])
	if negate {
		q.Y.Neg(&q.Y)
	}
}

// loadEntry sets q to an entry.
func loadEntry(q *point.Affine, e string) {
	e = e[:entrySize]
	q.X.SetLimbs(load(e, 0), load(e, 8), load(e, 16), load(e, 24))
	q.Y.SetLimbs(load(e, 32), load(e, 40), load(e, 48), load(e, 56))
}

// load returns the little-endian word at byte i of s; the compiler makes one
// load of it where the machine is little-endian.
func load(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
