package kernels

import (
	"encoding/binary"
	"slices"

	"github.com/koblitz-go/koblitz/group"
)

// A table holds multiples of the generator G for multiplications with windows of a fixed number of
// bits, the window size. Kernels take it as their argument gtable (point.h). It begins with a
// header as long as a point, whose first four bytes are the window size. The points 2^i·G follow,
// combPowers of them, and then the windows: point j of window i is (2·j + 1)·2^(bits·i)·G. A point
// is its canonical x and y coordinates, 32 bytes each, little-endian. Devices read the table as
// 32-bit words, so a device must be little-endian.
const (
	CombPoint = 64 // size of a point in bytes

	// CombBits is the window size of the table that the host computes.
	CombBits = 8

	// CombLeast and CombMost are the smallest and the largest window size. The tables then take 64
	// KiB and 5 GiB.
	CombLeast, CombMost = 4, 24

	// KeyMost is the largest window size for the table of a prepared key. With it, a table takes
	// 272 KiB.
	KeyMost = 8

	combPowers = 256
	combChain  = 5 // the constant COMB_CHAIN of table.h
)

// CombWindows returns the number of windows in a scalar of 256 bits.
func CombWindows(bits int) int { return (256 + bits - 1) / bits }

// CombEntries returns the number of points in a window. The last window only has points whose
// multiplier (2·j + 1)·2^(bits·i) is below 2^256, since scalars are.
func CombEntries(bits, window int) int { return 1 << (min(bits, 256-bits*window) - 1) }

// CombSize returns the size of a table in bytes.
func CombSize(bits int) int64 {
	last := CombWindows(bits) - 1
	return CombOffset(bits, last, CombEntries(bits, last))
}

// CombOffset returns the offset in bytes of point j of the given window.
func CombOffset(bits, window, j int) int64 {
	return CombPoint * (1 + combPowers + int64(window)<<(bits-1) + int64(j))
}

// CombStart returns the beginning of a table: the header and the points 2^i·G. From these, the
// kernel k_comb computes the windows. Before that, the host must write point 0 of each window,
// which is CombPower(start, bits·window).
func CombStart(bits int) []byte {
	start := make([]byte, CombPoint, CombPoint*(1+combPowers))
	binary.LittleEndian.PutUint32(start, uint32(bits))
	powers := make([]group.Point, combPowers)
	powers[0].SetGenerator()
	for i := 1; i < combPowers; i++ {
		powers[i].Double(&powers[i-1])
	}
	return AppendPoints(start, powers)
}

// CombPower returns the bytes of the point 2^i·G in a table. The argument table may hold only the
// first part of the table.
func CombPower(table []byte, i int) []byte { return table[CombPoint*(1+i):][:CombPoint] }

// CombRows returns the number of work items with which k_comb carries out a step; steps are
// numbered from 0 to bits − 2. Step t computes the points with index 2^t + j, for j < 2^t, in each
// window that has them.
func CombRows(bits, step int) int {
	windows := CombWindows(bits)
	if CombEntries(bits, windows-1) <= 1<<step {
		windows--
	}
	return windows << max(step-combChain, 0)
}

// Comb returns the table with windows of CombBits bits. Computing it takes some milliseconds: for
// each window, an inversion and 128 additions.
func Comb() []byte { return comb(CombBits) }

// comb computes the table with windows of the given size on the CPU.
func comb(bits int) []byte {
	table := CombStart(bits)
	base := new(group.Point).SetGenerator() // point 0 of the current window
	for i := range CombWindows(bits) {
		multiples := make([]group.Point, CombEntries(bits, i))
		multiples[0].Set(base)
		twice := new(group.Point).Double(base)
		for j := 1; j < len(multiples); j++ {
			multiples[j].Add(&multiples[j-1], twice)
		}
		table = AppendPoints(table, multiples)
		for range bits {
			base.Double(base)
		}
	}
	return table
}

// AppendPoints appends points to a table. None of them may be the identity.
func AppendPoints(table []byte, points []group.Point) []byte {
	group.BatchNormalize(points)
	for i := range points {
		encoding := Coordinates(&points[i])
		slices.Reverse(encoding[:32])
		slices.Reverse(encoding[32:])
		table = append(table, encoding[:]...)
	}
	return table
}

// Coordinates returns both coordinates of p, 32 bytes each, big-endian, or zeros for the identity.
func Coordinates(p *group.Point) (b [64]byte) {
	if key, err := p.PublicKey(); err == nil {
		copy(b[:], key.UncompressedBytes()[1:])
	}
	return b
}
