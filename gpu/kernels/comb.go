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
// All entries are affine, and each window takes an inversion: the table is made in some
// milliseconds.
func Comb() []byte {
	table := make([]byte, 0, CombPoint*CombEntries*CombWindows)
	var base point.Jacobian
	base.SetAffine(new(point.Affine).SetGenerator())
	multiples := make([]point.Jacobian, CombEntries+1)
	affine := make([]point.Affine, CombEntries+1)
	for range CombWindows {
		// The odd multiples, by adding 2·base, and behind them 2^CombBits·base.
		var twice point.Jacobian
		twice.Double(&base)
		var step point.Affine
		step.SetJacobianVartime(&twice)
		multiples[0] = base
		for j := 1; j < CombEntries; j++ {
			multiples[j].AddMixedVartime(&multiples[j-1], &step)
		}
		base.DoubleN(&base, CombBits)
		multiples[CombEntries] = base
		point.BatchToAffineVartime(affine, multiples)
		for j := range CombEntries {
			table = appendElement(table, &affine[j].X)
			table = appendElement(table, &affine[j].Y)
		}
		base.SetAffine(&affine[CombEntries])
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
