package kernels

import (
	"encoding/binary"
	"slices"

	"github.com/koblitz-go/koblitz/group"
)

// The comb: the table of multiples of the generator that kernels take as gtable, as point.h has
// it. A table is for windows of some number of bits, and begins with a header of the size of a
// point, whose first four bytes are that number. Behind it are combPowers points, the powers 2^i·G,
// and then the windows: point j of window i is (2·j + 1)·2^(bits·i)·G. A point has its canonical
// abscissa, which its canonical ordinate follows, 32 bytes each, the least significant first. A
// device reads them as numbers of 32 bits and must be little-endian.
const (
	CombPoint = 64 // bytes of a point

	// CombBits is the width of the table that the host makes.
	CombBits = 8

	// CombLeast and CombMost are the widths that there can be: tables of 64 KiB and of 5 GiB.
	CombLeast, CombMost = 4, 24

	// KeyMost is the width of the widest tables of prepared keys, of 272 KiB.
	KeyMost = 8

	combPowers = 256
	combChain  = 5 // COMB_CHAIN of table.h
)

// CombWindows returns the number of windows, which cover a scalar.
func CombWindows(bits int) int { return (256 + bits - 1) / bits }

// CombEntries returns the number of points of a window. The last one has only those points whose
// multiples of G are below 2^256: no scalar needs the others.
func CombEntries(bits, window int) int { return 1 << (min(bits, 256-bits*window) - 1) }

// CombSize returns the number of bytes of a table.
func CombSize(bits int) int64 {
	last := CombWindows(bits) - 1
	return CombOffset(bits, last, CombEntries(bits, last))
}

// CombOffset returns the offset of a point in a table.
func CombOffset(bits, window, j int) int64 {
	return CombPoint * (1 + combPowers + int64(window)<<(bits-1) + int64(j))
}

// CombStart returns the bytes with which a table begins, up to the windows. The kernel k_comb makes
// these, if point 0 of each window is there, which is the power CombPower(bits·window).
func CombStart(bits int) []byte {
	start := make([]byte, CombPoint, CombPoint*(1+combPowers))
	binary.LittleEndian.PutUint32(start, uint32(bits))
	powers := make([]group.Point, combPowers)
	powers[0].SetGenerator()
	for i := 1; i < combPowers; i++ {
		powers[i].Double(&powers[i-1])
	}
	return appendPoints(start, powers)
}

// CombPower returns the point 2^i·G of a table's start.
func CombPower(start []byte, i int) []byte { return start[CombPoint*(1+i):][:CombPoint] }

// CombRows returns the number of work items with which the kernel k_comb carries out a step, from 0
// to bits − 2. In step t it adds point 2^t + j of each window that has it, for j < 2^t.
func CombRows(bits, step int) int {
	windows := CombWindows(bits)
	if CombEntries(bits, windows-1) <= 1<<step {
		windows--
	}
	return windows << max(step-combChain, 0)
}

// Comb returns the table for windows of CombBits.
//
// Making it takes an inversion and 128 additions a window: some milliseconds.
func Comb() []byte { return comb(CombBits) }

// comb returns a table, made without a device.
func comb(bits int) []byte {
	table := CombStart(bits)
	base := new(group.Point).SetGenerator() // of a window
	for i := range CombWindows(bits) {
		multiples := make([]group.Point, CombEntries(bits, i))
		multiples[0].Set(base)
		twice := new(group.Point).Double(base)
		for j := 1; j < len(multiples); j++ {
			multiples[j].Add(&multiples[j-1], twice)
		}
		table = appendPoints(table, multiples)
		for range bits {
			base.Double(base)
		}
	}
	return table
}

// appendPoints appends points, none the identity, as tables have them.
func appendPoints(table []byte, points []group.Point) []byte {
	group.BatchNormalize(points)
	for i := range points {
		encoding := Coordinates(&points[i])
		slices.Reverse(encoding[:32])
		slices.Reverse(encoding[32:])
		table = append(table, encoding[:]...)
	}
	return table
}

// Coordinates returns both coordinates of a point, 32 bytes each, big-endian, or zeros for the
// identity.
func Coordinates(p *group.Point) (b [64]byte) {
	if key, err := p.PublicKey(); err == nil {
		copy(b[:], key.UncompressedBytes()[1:])
	}
	return b
}
