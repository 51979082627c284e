package lanes

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/scalar"
)

// MinSplitBits is the least number of bits in which [SplitOdd] can write its
// halves.
const MinSplitBits = 129

// SplitOdd writes k[j] as d_1 + d_2·λ with odd d_i for each lane j, and puts
// them into b1 and b2 as
//
//	b_i = (d_i + 2^l − 1)/2,
//
// a number of l bits, l from MinSplitBits to 192, in three 64-bit words a lane,
// lowest first. Read in windows of w bits, where w divides l, the bits of a
// window stand for the odd digit 2·bits − (2^w − 1), positive if its top bit is
// set, and the sum of the digits times powers of 2^w is d_i: signs need no place
// of their own. An odd digit is never zero, and no partial sum is.
//
// [scalar.Scalar.SplitOdd] has the proof that l bits are enough. The kernel leaves
// a little more out of the quotients: where one is next to an integer, it may take
// the other neighbour and so make other halves, within the same bounds. The time
// does not depend on the scalars.
func SplitOdd(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, l uint) {
	splitOdd(b1, b2, k, 1<<((l-MinSplitBits)&63))
}

// splitOddGeneric is SplitOdd for top = 2^(l − MinSplitBits).
func splitOddGeneric(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, top uint64) {
	l := uint(MinSplitBits + bits.TrailingZeros64(top))
	for j := range k {
		h1, h2 := k[j].SplitOdd(l)
		at := place(j)
		b1[0][at], b1[1][at], b1[2][at] = h1.L0, h1.L1, h1.L2
		b2[0][at], b2[1][at], b2[2][at] = h2.L0, h2.L1, h2.L2
	}
}
