package scalar

import "math/bits"

// An OddHalf is one half of the result of [Scalar.SplitOdd]: the number L0 + L1·2^64 + L2·2^128.
type OddHalf struct{ L0, L1, L2 uint64 }

// SplitOdd writes k as d_1 + d_2·λ with odd d_i, and returns
//
//	b_i = (d_i + 2^l − 1)/2,
//
// numbers of l bits, l from 129 to 192, in constant time. Cut b_i into windows of w bits, where w
// divides l. The bits of a window encode the odd digit 2·bits − (2^w − 1), and d_i is the sum of
// the digits times powers of 2^w. So digits need no sign bits.
//
// (d_1, d_2) is (k, 0) minus a lattice point c1·v1 + c2·v2. In contrast to [Scalar.Split], this
// point is not the closest one. a1 and b1 are odd and a2 is even, so
//
//	d_1 = k − c1·a1 − c2·a2 ≡ k + c1,  d_2 = c1·b1 − c2·a1 ≡ c1 + c2  (mod 2)
//
// are both odd if c1 is odd and c2 even for even k, and if c1 is even and c2 odd for odd k. So each
// of the quotients k·a1/n and k·b1/n is rounded down to c1 and c2, and increased by one if its
// parity is wrong.
//
// Bound. As in Split, |d_1| ≤ |ε1|·a1 + |ε2|·a2 and |d_2| ≤ |ε1|·b1 + |ε2|·a1 for errors ε1 and ε2
// of c1 and c2. An error is at most 1 for rounding to an integer of the right parity, plus 2^-62
// for the limb that Split ignores, plus 2^-58 for the partial products that mulTop ignores. So
// |d_1| < 1.272·2^128 and |d_2| < 1.083·2^128, both below 2^129 ≤ 2^l.
func (k *Scalar) SplitOdd(l uint) (b1, b2 OddHalf) {
	odd := k.l0 & 1
	c10, c11 := mulTop(k.l1, k.l2, k.l3, g10, g11, g12)
	c20, c21 := mulTop(k.l1, k.l2, k.l3, g20, g21, g22)
	c10, c := bits.Add64(c10, c10&1^odd^1, 0)
	c11 += c
	c20, c = bits.Add64(c20, c20&1^odd, 0)
	c21 += c

	s0, s1, s2, t0, t1, t2 := k.minus(c10, c11, c20, c21)
	return halfOffset(s0, s1, s2, l), halfOffset(t0, t1, t2, l)
}

// halfOffset returns (d + 2^l − 1)/2, where d is the odd number with the limbs d0 to d2 in two's
// complement.
func halfOffset(d0, d1, d2 uint64, l uint) OddHalf {
	// d is odd, so d − 1 only clears the lowest bit, which the shift drops.
	return OddHalf{d0>>1 | d1<<63, d1>>1 | d2<<63, uint64(int64(d2)>>1) + 1<<((l-129)&63)}
}

// mulTop returns x·y/2^256 rounded down, or one less. It ignores some parts of partial products:
// the halves that belong to the three lowest limbs, six numbers, each below 2^192; and the three
// lowest bits of the five halves in the next limb, so that the sum of these halves needs no carry.
// Before rounding, the quotient is less than (6 + 5·8)·2^-64 too small.
func mulTop(x0, x1, x2, y0, y1, y2 uint64) (c0, c1 uint64) {
	p, _ := bits.Mul64(x0, y2)
	q, _ := bits.Mul64(x1, y1)
	r, _ := bits.Mul64(x2, y0)
	h1, l1 := bits.Mul64(x1, y2)
	h2, l2 := bits.Mul64(x2, y1)
	c1, c0 = bits.Mul64(x2, y2)
	s := (p>>3 + q>>3 + r>>3 + l1>>3 + l2>>3) >> 61
	c0, c := bits.Add64(c0, h1, 0)
	c1, _ = bits.Add64(c1, 0, c)
	c0, c = bits.Add64(c0, h2, 0)
	c1, _ = bits.Add64(c1, 0, c)
	c0, c = bits.Add64(c0, s, 0)
	return c0, c1 + c
}
