package scalar

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// docs/endomorphism.md explains the endomorphism λ·(x, y) = (β·x, y), and derives the constants and
// bounds of this file.
//
// The pairs (u, v) with u + v·λ ≡ 0 mod n form a lattice. Its basis is
//
//	v1 = (a1, -b1), v2 = (a2, a1), a2 = a1 + b1, of determinant a1² + a2·b1 = n.
//
// a1 is the first remainder below 2^128 in Euclid's algorithm on n and λ, and b1 is the factor of λ
// in the linear combination of n and λ that equals this remainder (Guide to Elliptic Curve
// Cryptography, algorithm 3.74). g1 is round(2^320·a1/n), and g2 is round(2^320·b1/n).

// A Half is a signed half of a scalar: Hi·2^64 + Lo, negated if Neg is 1. Its
// magnitude is below 2^128. Split never returns a negated 0.
type Half struct {
	Lo, Hi uint64
	Neg    ct.Choice
}

// Split returns k1 and k2 with k = k1 + k2·λ, in constant time.
//
// (k1, k2) is (k, 0) minus the lattice point c1·v1 + c2·v2 closest to it, where c1 and c2 are
// k·a1/n and k·b1/n, rounded to integers.
//
// Bound. Let c1 = k·a1/n + ε1 and c2 = k·b1/n + ε2. With the exact quotients, ε1 = ε2 = 0, the
// result would be (0, 0), so
//
//	(k1, k2) = -ε1·v1 - ε2·v2
//	|k1| ≤ |ε1|·a1 + |ε2|·a2,  |k2| ≤ |ε1|·b1 + |ε2|·a1
//
// The code computes c1 by rounding K·g1/2^256, with k = K·2^64 + κ: it ignores the lowest limb κ of
// k. It computes c2 likewise, from g2. The error of the value before rounding is the sum of
//
//	κ·a1/n < 2^64·2^128/n < 2^-63, for ignoring κ, and
//	K·|g1 - 2^320·a1/n|/2^256 ≤ 2^192·(1/2)/2^256 = 2^-65, for rounding g1,
//
// so that |ε1|, |ε2| < 1/2 + 2^-62. With a1 + a2 < 1.271·2^128 and a1 + b1 < 1.082·2^128:
//
//	|k1| < 0.636·2^128,  |k2| < 0.542·2^128.
func (k *Scalar) Split() (k1, k2 Half) {
	c10, c11 := mulShift(k.l1, k.l2, k.l3, g10, g11, g12)
	c20, c21 := mulShift(k.l1, k.l2, k.l3, g20, g21, g22)

	s0, s1, s2, t0, t1, t2 := k.minus(c10, c11, c20, c21)
	k1.set(s0, s1, s2)
	k2.set(t0, t1, t2)
	return k1, k2
}

// minus returns the pair (k, 0) - c1·v1 - c2·v2: k - c1·a1 - c2·a2 in the limbs s0 to s2, and
// c1·b1 - c2·a1 in the limbs t0 to t2, both modulo 2^192. c1 and c2 have two limbs each.
func (k *Scalar) minus(c10, c11, c20, c21 uint64) (s0, s1, s2, t0, t1, t2 uint64) {
	x0, x1, x2 := mulLow(c10, c11, a10, a11)
	y0, y1, y2 := mulLow(c20, c21, a20, a21)
	s0, b := bits.Sub64(k.l0, x0, 0)
	s1, b = bits.Sub64(k.l1, x1, b)
	s2 = k.l2 - x2 - b
	s0, b = bits.Sub64(s0, y0, 0)
	s1, b = bits.Sub64(s1, y1, b)
	s2 -= y2 + c20*a22 + b

	x0, x1, x2 = mulLow(c10, c11, b10, b11)
	y0, y1, y2 = mulLow(c20, c21, a10, a11)
	t0, b = bits.Sub64(x0, y0, 0)
	t1, b = bits.Sub64(x1, y1, b)
	return s0, s1, s2, t0, t1, x2 - y2 - b
}

// set sets h to the number with the three limbs s0 to s2 in two's complement. Its absolute value
// must be below 2^128.
func (h *Half) set(s0, s1, s2 uint64) {
	neg := s2 >> 63
	mask := -neg
	var c uint64
	h.Lo, c = bits.Add64(s0^mask, neg, 0)
	h.Hi = (s1 ^ mask) + c
	h.Neg = ct.Choice(neg)
}

// mulShift returns x·y/2^256, rounded to the nearest integer, in the limbs c0 and c1. x and y have
// three limbs each. The result must be below 2^128.
func mulShift(x0, x1, x2, y0, y1, y2 uint64) (c0, c1 uint64) {
	//ct:secret x2 == 0
	p1, _ := bits.Mul64(x0, y0)
	p2, l := bits.Mul64(x1, y0)
	p1, c := bits.Add64(p1, l, 0)
	p3, l := bits.Mul64(x2, y0)
	p2, c = bits.Add64(p2, l, c)
	p3 += c

	h0, l0 := bits.Mul64(x0, y1)
	h1, l1 := bits.Mul64(x1, y1)
	h2, l2 := bits.Mul64(x2, y1)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	h2 += c
	_, c = bits.Add64(p1, l0, 0)
	p2, c = bits.Add64(p2, l1, c)
	p3, c = bits.Add64(p3, l2, c)
	p4 := h2 + c

	h0, l0 = bits.Mul64(x0, y2)
	h1, l1 = bits.Mul64(x1, y2)
	h2, l2 = bits.Mul64(x2, y2)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	h2 += c
	_, c = bits.Add64(p2, l0, 0)
	p3, c = bits.Add64(p3, l1, c)
	p4, c = bits.Add64(p4, l2, c)
	p5 := h2 + c

	c0, c = bits.Add64(p4, p3>>63, 0)
	return c0, p5 + c
}

// mulLow returns x·y modulo 2^192 in three limbs. x and y have two limbs each.
func mulLow(x0, x1, y0, y1 uint64) (p0, p1, p2 uint64) {
	p1, p0 = bits.Mul64(x0, y0)
	h, l := bits.Mul64(x0, y1)
	p1, c := bits.Add64(p1, l, 0)
	p2 = x1*y1 + h + c
	h, l = bits.Mul64(x1, y0)
	p1, c = bits.Add64(p1, l, 0)
	return p0, p1, p2 + h + c
}

// SetHalf sets v = h modulo n.
func (v *Scalar) SetHalf(h *Half) *Scalar {
	a := Scalar{l0: h.Lo, l1: h.Hi}
	return v.CondNeg(&a, h.Neg)
}
