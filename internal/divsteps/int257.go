package divsteps

import "math/bits"

// An int257 is the integer l0 + l1·2^64 + l2·2^128 + l3·2^192 + sign·2^256, where sign is all ones,
// for -1, or zero: two's complement on 257 bits.
//
// The numbers f and g are int257: they start in [0, m], and a matrix row with |u|+|v| ≤ 2^n,
// divided by 2^n, makes neither larger than the larger of the two. The numbers d and e are int257
// as well: see Modulus.reduce.
type int257 struct{ l0, l1, l2, l3, sign uint64 }

// combine returns u·a + v·b as a two's complement number of 320 bits. |u| and |v| are at most 2^60,
// so |u·a + v·b| ≤ 2^317.
//
// The signs of u and v are moved to a and b: with s = -1 (all ones) for a negative u, and s = 0 for
// others,
//
//	u·a = |u|·(a ^ s) + |u|·(s & 1)
//
// because -a is the complement of a, plus 1. Then only the sign words need special treatment: all
// other products are of unsigned words. A sign word is 0 or -1, so a mask replaces its product.
func combine(u, v int64, a, b *int257) (t0, t1, t2, t3, t4 uint64) {
	su, sv := uint64(u>>63), uint64(v>>63)
	au, av := (uint64(u)^su)-su, (uint64(v)^sv)-sv

	h0, l0 := bits.Mul64(au, a.l0^su)
	h1, l1 := bits.Mul64(au, a.l1^su)
	h2, l2 := bits.Mul64(au, a.l2^su)
	h3, l3 := bits.Mul64(au, a.l3^su)
	t0, c := bits.Add64(l0, au&su+av&sv, 0)
	t1, c = bits.Add64(l1, h0, c)
	t2, c = bits.Add64(l2, h1, c)
	t3, c = bits.Add64(l3, h2, c)
	t4 = h3 + c - au&(a.sign^su)

	h0, l0 = bits.Mul64(av, b.l0^sv)
	h1, l1 = bits.Mul64(av, b.l1^sv)
	h2, l2 = bits.Mul64(av, b.l2^sv)
	h3, l3 = bits.Mul64(av, b.l3^sv)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	l4 := h3 + c - av&(b.sign^sv)

	t0, c = bits.Add64(t0, l0, 0)
	t1, c = bits.Add64(t1, l1, c)
	t2, c = bits.Add64(t2, l2, c)
	t3, c = bits.Add64(t3, l3, c)
	t4 += l4 + c
	return t0, t1, t2, t3, t4
}

// divide sets (f, g) to (u·f + v·g, q·f + r·g)/2^60, where u, v, q and r are the entries of m. The
// division is exact.
func (m *matrix) divide(f, g *int257) {
	f0, f1, f2, f3, f4 := combine(m.u, m.v, f, g)
	g0, g1, g2, g3, g4 := combine(m.q, m.r, f, g)
	f.shift(f0, f1, f2, f3, f4)
	g.shift(g0, g1, g2, g3, g4)
}

// shift sets z to the 320-bit number with limbs t0 to t4, divided by 2^60. The division must be
// exact, and the result must have 257 bits.
func (z *int257) shift(t0, t1, t2, t3, t4 uint64) {
	z.l0 = t0>>batchSteps | t1<<(64-batchSteps)
	z.l1 = t1>>batchSteps | t2<<(64-batchSteps)
	z.l2 = t2>>batchSteps | t3<<(64-batchSteps)
	z.l3 = t3>>batchSteps | t4<<(64-batchSteps)
	z.sign = uint64(int64(t4) >> 63)
}

// apply sets (d, e) to (u·d + v·e, q·d + r·e)/2^64 modulo m, where u, v, q and r are the entries of
// t.
func (m *Modulus) apply(t *matrix, d, e *int257) {
	d0, d1, d2, d3, d4 := combine(t.u, t.v, d, e)
	e0, e1, e2, e3, e4 := combine(t.q, t.r, d, e)
	m.reduce(d, d0, d1, d2, d3, d4)
	m.reduce(e, e0, e1, e2, e3, e4)
}

// reduce sets z to a number congruent to t/2^64 modulo m, where t has the limbs t0 to t4.
//
// The result is (t + k·m)/2^64, with k = -t/m mod 2^64 in [-2^63, 2^63), so the division is exact.
// Write c = 2^256 - m: then k is t/c mod 2^64, and k·m = k·2^256 - k·c, so only the products of k
// with the short c are computed.
//
// Range: let |d|, |e| ≤ B = 8m/15. |u|+|v| ≤ 2^60 gives |t| ≤ 2^60·B and
//
//	|(t + k·m)/2^64| ≤ B/16 + m/2 = B.
//
// After the function first, |d| and |e| are at most 2^60. So B always bounds them, and B < 2^256.
func (m *Modulus) reduce(z *int257, t0, t1, t2, t3, t4 uint64) {
	//ct:secret t4>>63 == 1
	k := t0 * m.CInv
	neg := uint64(int64(k) >> 63)

	// Compute w = k·c, where c = 2^256 - m and k is signed: the unsigned product, minus 2^64·c if k
	// is negative. The low word of w equals t0, the low word of the number to reduce, by the choice
	// of k. So the two cancel.
	h0, _ := bits.Mul64(k, m.C0)
	h1, l1 := bits.Mul64(k, m.C1)
	w1, c := bits.Add64(l1, h0, 0)
	w2, c := bits.Add64(h1, k&-m.C2, c)
	w3 := c
	w1, b := bits.Sub64(w1, m.C0&neg, 0)
	w2, b = bits.Sub64(w2, m.C1&neg, b)
	w3, b = bits.Sub64(w3, m.C2&neg, b)
	w4 := -b

	// The result is (t - w + k·2^256)/2^64, where t has the limbs t0 to t4, and w = k·c the limbs
	// w0 = t0 to w4.
	sign := uint64(int64(t4)>>63) + neg - w4
	t4, c = bits.Add64(t4, k, 0)
	t1, b = bits.Sub64(t1, w1, 0)
	t2, b = bits.Sub64(t2, w2, b)
	t3, b = bits.Sub64(t3, w3, b)
	t4, b = bits.Sub64(t4, w4, b)
	z.l0, z.l1, z.l2, z.l3, z.sign = t1, t2, t3, t4, sign+c-b
}

// finish sets v to the canonical value of d/2^n modulo m, negated if sign is all ones. n must be
// from 1 to 63.
//
// The caller computes n from the number k of batches of s steps. The batches should have divided d
// by 2^(s·k), but all batches except the first divided it by 2^64. So d must be divided by 2^(64 -
// (64-s)·k), whose exponent is positive for every k up to the maximum.
func (m *Modulus) finish(v *[4]uint64, d *int257, sign uint64, n uint) {
	d0, c := bits.Add64(d.l0^sign, sign&1, 0)
	d1, c := bits.Add64(d.l1^sign, 0, c)
	d2, c := bits.Add64(d.l2^sign, 0, c)
	d3, c := bits.Add64(d.l3^sign, 0, c)
	neg := (d.sign ^ sign) + c

	// |d| < m: if d is negative, adding m gives 0 ≤ d < m. Modulo 2^256, adding m is subtracting c
	// = 2^256 - m.
	d0, b := bits.Sub64(d0, m.C0&neg, 0)
	d1, b = bits.Sub64(d1, m.C1&neg, b)
	d2, b = bits.Sub64(d2, m.C2&neg, b)
	d3, _ = bits.Sub64(d3, 0, b)

	// Compute (d + k·m)/2^n as in Modulus.reduce, with 0 ≤ k < 2^n. It is below m, because d + k·m
	// ≤ m-1 + (2^n-1)·m < 2^n·m.
	k := d0 * m.CInv & (1<<(n&63) - 1)
	h0, l0 := bits.Mul64(k, m.C0)
	h1, l1 := bits.Mul64(k, m.C1)
	w1, c := bits.Add64(l1, h0, 0)
	w2, c := bits.Add64(h1, k&-m.C2, c)
	d0, b = bits.Sub64(d0, l0, 0)
	d1, b = bits.Sub64(d1, w1, b)
	d2, b = bits.Sub64(d2, w2, b)
	d3, b = bits.Sub64(d3, c, b)
	d4 := k - b
	v[0] = d0>>(n&63) | d1<<((64-n)&63)
	v[1] = d1>>(n&63) | d2<<((64-n)&63)
	v[2] = d2>>(n&63) | d3<<((64-n)&63)
	v[3] = d3>>(n&63) | d4<<((64-n)&63)
}
