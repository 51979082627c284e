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
// set, and the sum of digits times powers of 2^w is d_i: so signs need no place
// of their own. The time does not depend on the scalars.
//
// An odd digit is never zero, and so neither is a sum of multiples of different
// weight: see package ecmult, whose recoding this is. Odd digits make odd
// numbers, so k is written as (1 + λ) + 2·s, and s is split: d_i = 2·s_i + 1.
//
// Bound. [scalar.Scalar.Split] gives |s_1| < 0.636·2^128 and |s_2| <
// 0.542·2^128. So b_i = s_i + 2^(l−1) lies in [0, 2^l) and |d_i| < 2^l, for
// l ≥ 129: |d_i| ≤ 2·|s_i| + 1 < 1.272·2^128 + 1.
func SplitOdd(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, l uint) {
	for j := range k {
		splitOdd(b1, b2, j, &k[j], l)
	}
}

func splitOdd(b1, b2 *[3]Vector, j int, k *scalar.Scalar, l uint) {
	var s scalar.Scalar
	s.SetLimbs(&[4]uint64{0xdf02967c1b23bd73, 0x122e22ea20816678, 0xa5261c028812645a, 0x5363ad4cc05c30e0}) // 1 + λ
	s.Sub(k, &s)
	s.Half(&s)
	h1, h2 := s.Split()
	offset(b1, j, &h1, l)
	offset(b2, j, &h2, l)
}

// offset sets lane j of b to h + 2^(l−1).
func offset(b *[3]Vector, j int, h *scalar.Half, l uint) {
	m := h.Neg.Mask()
	var carry uint64
	b[0][j], carry = bits.Add64(h.Lo^m, m&1, 0)
	b[1][j], carry = bits.Add64(h.Hi^m, 0, carry)
	b[2][j], _ = bits.Add64(1<<(l-129), m, carry)
}
