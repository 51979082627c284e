package kernels

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// join returns the number with the given limbs of 52 bits.
func join(l []uint64) *big.Int {
	x := new(big.Int)
	for i := len(l) - 1; i >= 0; i-- {
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(l[i]))
	}
	return x
}

// lanesSplitOf describes the kernel splitOdd by its constants. The kernel leaves out low halves of
// limb products in columns 0 to 4, and high ones in columns 1 to 4. It rounds the sum of the other
// halves down, which loses less than 1, and may add 1.
func lanesSplitOf() reference.Split {
	l := newLattice()
	lost := new(big.Int)
	for i := range 5 {
		for j := range l.g1 {
			for high := range 2 {
				if column := i + j + high; column <= 4 {
					part := new(big.Int).Lsh(big.NewInt(1<<52-1), uint(52*column))
					lost.Add(lost, part)
				}
			}
		}
	}
	below := new(big.Rat).SetFrac(lost, new(big.Int).Lsh(big.NewInt(1), 312))
	return reference.Split{
		A1: join(l.a1[:]), B1: join(l.b1[:]), A2: join(l.a2[:]), G1: join(l.g1[:]), G2: join(l.g2[:]),
		Shift: 312, Below: below.Add(below, big.NewRat(1, 1)), Above: big.NewRat(1, 1),
	}
}

// TestLanesSplitBounds proves the bounds of lanesSplitOdd for all scalars: |k1| is below
// 1.272·2^128, and |k2| is below 1.083·2^128, as for scalar.SplitOdd. Both are below 2^129, so the
// signed numbers are determined by their residues modulo 2^156.
func TestLanesSplitBounds(t *testing.T) {
	s := lanesSplitOf()
	if err := s.Within(1272, 1083); err != nil {
		t.Error(err)
	}
}
