package lanes

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/scalar"
)

// MinSplitBits is the smallest number of bits that [SplitOdd] can use for each
// half.
const MinSplitBits = 129

// SplitOdd writes k[j] as d_1 + d_2·λ with odd d_i for each lane j, and sets b1 and b2 to
//
//	b_i = (d_i + 2^l − 1)/2,
//
// a number of l bits, l from MinSplitBits to 192, in three 64-bit words per lane, lowest first. Cut
// b_i into windows of w bits, where w divides l. The bits of a window encode the odd digit 2·bits −
// (2^w − 1), which is positive if the top bit is set, and d_i is the sum of the digits times powers
// of 2^w. So digits need no sign bits. An odd digit is never zero, and neither is a partial sum.
//
// [scalar.Scalar.SplitOdd] has the proof that l bits are enough. The kernel's quotients are
// slightly less exact. If a quotient is near an integer, the kernel may round it to the other
// neighbour, which gives other halves within the same bounds. The time does not depend on the
// scalars.
func SplitOdd(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, l uint) {
	splitOdd(b1, b2, k, 1<<((l-MinSplitBits)&63))
}

// splitOddGeneric does the work of SplitOdd. top is 2^(l − MinSplitBits).
func splitOddGeneric(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, top uint64) {
	l := uint(MinSplitBits + bits.TrailingZeros64(top))
	for j := range k {
		h1, h2 := k[j].SplitOdd(l)
		at := place(j)
		b1[0][at], b1[1][at], b1[2][at] = h1.L0, h1.L1, h1.L2
		b2[0][at], b2[1][at], b2[2][at] = h2.L0, h2.L1, h2.L2
	}
}
