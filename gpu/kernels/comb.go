package kernels

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// The shape of the comb, as point.h has it: windows of CombBits bits cover a scalar, and each has
// CombEntries points of CombPoint bytes.
const (
	CombBits    = 8
	CombWindows = (256 + CombBits - 1) / CombBits
	CombEntries = 1 << (CombBits - 1)
	CombPoint   = 64
)

// Comb returns the table of the multiples of the generator that kernels take as gtable: point j
// of window i is (2·j + 1)·2^(CombBits·i)·G, and begins at byte CombPoint·(CombEntries·i + j) with
// its canonical abscissa, which its canonical ordinate follows, 32 bytes each, the least
// significant first. A device reads it as numbers of 32 bits and must be little-endian.
//
// Making it takes two inversions and CombEntries additions a window: some milliseconds.
func Comb() []byte { return comb(CombBits) }

// comb is Comb for windows of so many bits.
func comb(bits int) []byte {
	windows, entries := (256+bits-1)/bits, 1<<(bits-1)
	table := make([]byte, 0, CombPoint*entries*windows)
	var base point.Jacobian
	base.SetAffine(new(point.Affine).SetGenerator())
	multiples := make([]point.Jacobian, entries+1)
	affine := make([]point.Affine, entries+1)
	for range windows {
		var twice point.Jacobian
		var step point.Affine
		step.SetJacobianVartime(twice.Double(&base))
		multiples[0] = base
		for j := 1; j < entries; j++ {
			multiples[j].AddMixedVartime(&multiples[j-1], &step)
		}
		multiples[entries].DoubleN(&base, bits) // where the next window begins
		point.BatchToAffineVartime(affine, multiples)
		for j := range entries {
			table = appendElement(table, &affine[j].X)
			table = appendElement(table, &affine[j].Y)
		}
		base.SetAffine(&affine[entries])
	}
	return table
}

// appendElement appends the canonical a, 32 bytes, the least significant first.
func appendElement(table []byte, a *field.Element) []byte {
	for _, limb := range a.Limbs() {
		table = binary.LittleEndian.AppendUint64(table, limb)
	}
	return table
}
