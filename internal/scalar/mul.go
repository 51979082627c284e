package scalar

import "math/bits"

// Mul sets v = a·b.
func (v *Scalar) Mul(a, b *Scalar) *Scalar {
	mul(v, a, b)
	return v
}

// Square sets v = a².
func (v *Scalar) Square(a *Scalar) *Scalar {
	square(v, a)
	return v
}

// MulInRegisters reports whether Mul keeps its intermediate values in registers, so that none of
// them remains on the stack.
//
//ct:public describes the CPU
func MulInRegisters() bool { return haveKernels() }

// mulGeneric sets v = a·b.
func mulGeneric(v, a, b *Scalar) {
	// Add four rows: each is a times one limb of b, and one limb further up than the previous row.
	b0 := b.l0
	h0, p0 := bits.Mul64(a.l0, b0)
	h1, l1 := bits.Mul64(a.l1, b0)
	h2, l2 := bits.Mul64(a.l2, b0)
	h3, l3 := bits.Mul64(a.l3, b0)
	p1, c := bits.Add64(l1, h0, 0)
	p2, c := bits.Add64(l2, h1, c)
	p3, c := bits.Add64(l3, h2, c)
	p4 := h3 + c

	b1 := b.l1
	h0, l0 := bits.Mul64(a.l0, b1)
	h1, l1 = bits.Mul64(a.l1, b1)
	h2, l2 = bits.Mul64(a.l2, b1)
	h3, l3 = bits.Mul64(a.l3, b1)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	p1, c = bits.Add64(p1, l0, 0)
	p2, c = bits.Add64(p2, l1, c)
	p3, c = bits.Add64(p3, l2, c)
	p4, c = bits.Add64(p4, l3, c)
	p5 := h3 + c

	b2 := b.l2
	h0, l0 = bits.Mul64(a.l0, b2)
	h1, l1 = bits.Mul64(a.l1, b2)
	h2, l2 = bits.Mul64(a.l2, b2)
	h3, l3 = bits.Mul64(a.l3, b2)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	p2, c = bits.Add64(p2, l0, 0)
	p3, c = bits.Add64(p3, l1, c)
	p4, c = bits.Add64(p4, l2, c)
	p5, c = bits.Add64(p5, l3, c)
	p6 := h3 + c

	b3 := b.l3
	h0, l0 = bits.Mul64(a.l0, b3)
	h1, l1 = bits.Mul64(a.l1, b3)
	h2, l2 = bits.Mul64(a.l2, b3)
	h3, l3 = bits.Mul64(a.l3, b3)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	p3, c = bits.Add64(p3, l0, 0)
	p4, c = bits.Add64(p4, l1, c)
	p5, c = bits.Add64(p5, l2, c)
	p6, c = bits.Add64(p6, l3, c)
	p7 := h3 + c

	v.reduce(p0, p1, p2, p3, p4, p5, p6, p7)
}

// squareGeneric sets v = a².
func squareGeneric(v, a *Scalar) {
	// Products of different limbs occur twice, so they are computed once and doubled. The squares
	// of limbs are added after that.
	p2, p1 := bits.Mul64(a.l0, a.l1)
	h, l := bits.Mul64(a.l0, a.l2)
	p2, c := bits.Add64(p2, l, 0)
	p4, p3 := bits.Mul64(a.l0, a.l3)
	p3, c = bits.Add64(p3, h, c)
	p4 += c
	h, l = bits.Mul64(a.l1, a.l2)
	p3, c = bits.Add64(p3, l, 0)
	p4, c = bits.Add64(p4, h, c)
	p5 := c
	h, l = bits.Mul64(a.l1, a.l3)
	p4, c = bits.Add64(p4, l, 0)
	p5, _ = bits.Add64(p5, h, c)
	p6, l := bits.Mul64(a.l2, a.l3)
	p5, c = bits.Add64(p5, l, 0)
	p6 += c

	p7 := p6 >> 63
	p6 = p6<<1 | p5>>63
	p5 = p5<<1 | p4>>63
	p4 = p4<<1 | p3>>63
	p3 = p3<<1 | p2>>63
	p2 = p2<<1 | p1>>63
	p1 <<= 1

	h0, p0 := bits.Mul64(a.l0, a.l0)
	h1, l1 := bits.Mul64(a.l1, a.l1)
	h2, l2 := bits.Mul64(a.l2, a.l2)
	h3, l3 := bits.Mul64(a.l3, a.l3)
	p1, c = bits.Add64(p1, h0, 0)
	p2, c = bits.Add64(p2, l1, c)
	p3, c = bits.Add64(p3, h1, c)
	p4, c = bits.Add64(p4, l2, c)
	p5, c = bits.Add64(p5, h2, c)
	p6, c = bits.Add64(p6, l3, c)
	p7 += h3 + c

	v.reduce(p0, p1, p2, p3, p4, p5, p6, p7)
}

// reduce sets v to p modulo n, for any 512-bit number p with the limbs p0 to p7. Because 2^256 ≡ d,
// it folds twice: it multiplies the part above 2^256 by d and adds it to the rest. The second fold
// leaves a carry of at most 2.
func (v *Scalar) reduce(p0, p1, p2, p3, p4, p5, p6, p7 uint64) {
	// First fold: r = p mod 2^256 + h·d, with h = (p4, p5, p6, p7). r < 2^256 + 2^256·d, so r6 ≤ 1
	// and g = (r4, r5, r6) ≤ d. Three rows are added: h·d0; h·2^128, two limbs further up, whose
	// limbs p6 and p7 are added first; and h·d1.
	h0, l0 := bits.Mul64(p4, d0)
	h1, l1 := bits.Mul64(p5, d0)
	h2, l2 := bits.Mul64(p6, d0)
	h3, l3 := bits.Mul64(p7, d0)
	l1, c := bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	r0, c := bits.Add64(p0, l0, 0)
	r1, c := bits.Add64(p1, l1, c)
	r2, c := bits.Add64(p2, l2, c)
	r3, c := bits.Add64(p3, l3, c)
	r4, c := bits.Add64(p6, h3, c)
	r5, c := bits.Add64(p7, 0, c)
	r6 := c
	r2, c = bits.Add64(r2, p4, 0)
	r3, c = bits.Add64(r3, p5, c)
	r4, c = bits.Add64(r4, 0, c)
	r5, c = bits.Add64(r5, 0, c)
	r6 += c

	h0, l0 = bits.Mul64(p4, d1)
	h1, l1 = bits.Mul64(p5, d1)
	h2, l2 = bits.Mul64(p6, d1)
	h3, l3 = bits.Mul64(p7, d1)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	r1, c = bits.Add64(r1, l0, 0)
	r2, c = bits.Add64(r2, l1, c)
	r3, c = bits.Add64(r3, l2, c)
	r4, c = bits.Add64(r4, l3, c)
	r5, c = bits.Add64(r5, h3, c)
	r6 += c

	// Second fold: t = r mod 2^256 + g·d. d0 and d1 are below 2^63 and g is below 2^129, so g·d0
	// and g·d1 have three limbs. t < 2^256 + d² + d < 3·2^256, so t4 ≤ 2.
	h0, l0 = bits.Mul64(r4, d0)
	h1, l1 = bits.Mul64(r5, d0)
	l1, c = bits.Add64(l1, h0, 0)
	h1 += d0&-r6 + c
	h2, l2 = bits.Mul64(r4, d1)
	h3, l3 = bits.Mul64(r5, d1)
	l3, c = bits.Add64(l3, h2, 0)
	h3 += d1&-r6 + c

	t0, c := bits.Add64(r0, l0, 0)
	t1, c := bits.Add64(r1, l1, c)
	t2, c := bits.Add64(r2, h1, c)
	t3, c := bits.Add64(r3, r5, c)
	t4 := r6 + c
	t1, c = bits.Add64(t1, l2, 0)
	t2, c = bits.Add64(t2, l3, c)
	t3, c = bits.Add64(t3, h3, c)
	t4 += c
	t2, c = bits.Add64(t2, r4, 0)
	t3, c = bits.Add64(t3, 0, c)
	t4 += c

	// y = t mod 2^256 + t4·d is congruent to p and below 2^256 + 2d < 2n. y ≥ n exactly if y + d
	// reaches 2^256, which shows as a carry; y - n is then y + d - 2^256. So add (t4 + 1)·d, and
	// subtract d again if there is no carry.
	k := t4 + 1
	t0, c = bits.Add64(t0, k*d0, 0)
	t1, c = bits.Add64(t1, k*d1, c)
	t2, c = bits.Add64(t2, k*d2, c)
	t3, c = bits.Add64(t3, 0, c)
	mask := c - 1
	v.l0, c = bits.Sub64(t0, d0&mask, 0)
	v.l1, c = bits.Sub64(t1, d1&mask, c)
	v.l2, c = bits.Sub64(t2, d2&mask, c)
	v.l3, _ = bits.Sub64(t3, 0, c)
}
