package kernels

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/point"
)

// The shape of the table of G, that of the comb in point.h.
const (
	combBits    = 8
	combWindows = (256 + combBits - 1) / combBits
	combEntries = 1 << (combBits - 1)
)

// Table returns the table of G: point j of window i is (2·j + 1)·2^(combBits·i)·G. Each has
// sixteen words of 32 bits, little-endian: the eight limbs of x, the least significant
// first, and those of y. It takes some milliseconds.
func Table() []byte {
	table := make([]byte, 0, combWindows*combEntries*64)
	var base point.Affine
	var multiples [combEntries]point.Jacobian
	var affine [combEntries]point.Affine
	base.SetGenerator()
	for range combWindows {
		var twice point.Jacobian
		multiples[0].SetAffine(&base)
		twice.Double(&multiples[0])
		for j := range multiples[1:] {
			multiples[j+1].AddVartime(&multiples[j], &twice)
		}
		point.BatchToAffineVartime(affine[:], multiples[:])
		for j := range affine {
			for _, limb := range affine[j].X.Limbs() {
				table = binary.LittleEndian.AppendUint64(table, limb)
			}
			for _, limb := range affine[j].Y.Limbs() {
				table = binary.LittleEndian.AppendUint64(table, limb)
			}
		}
		var next point.Jacobian
		next.SetAffine(&base)
		next.DoubleNVartime(combBits)
		base.SetJacobianVartime(&next)
	}
	return table
}
