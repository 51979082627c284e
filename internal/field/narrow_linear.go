//go:build 386 || arm || mips || mipsle || wasm || (purego && narrow)

package field

// Sums and differences are carried once, all limbs in parallel: each limb keeps its low 29 bits,
// and the bits above these are added to the next higher limb. The bits of limb 8 from 2^256 up are
// multiplied by c and added to the lowest limbs. No carry waits for another one. The bits of a limb
// above the low 29 are a number below 2^13, so the result is reduced.

// The limbs of p.
const (
	p0 = 1<<29 - c0
	p1 = mask29 - c1
	pi = mask29 // each of limbs 2 to 7
	p8 = mask24
)

// The limbs of 2p, each twice a limb of p. None is smaller than the same limb of a reduced element,
// so no limb of a difference 2p − a is negative.
const (
	twoP0 = 2 * p0
	twoP1 = 2 * p1
	twoPi = 2 * pi
	twoP8 = 2 * p8
)

// The limbs of 4p, each four times a limb of p. Each is larger than the same limb of the sum of
// three reduced elements.
const (
	fourP0 = 4 * p0
	fourP1 = 4 * p1
	fourPi = 4 * pi
	fourP8 = 4 * p8
)

// Add sets v = a + b, and returns v.
func (v *Element) Add(a, b *Element) *Element {
	t0 := uint(a.l0) + uint(b.l0)
	t1 := uint(a.l1) + uint(b.l1)
	t2 := uint(a.l2) + uint(b.l2)
	t3 := uint(a.l3) + uint(b.l3)
	t4 := uint(a.l4) + uint(b.l4)
	t5 := uint(a.l5) + uint(b.l5)
	t6 := uint(a.l6) + uint(b.l6)
	t7 := uint(a.l7) + uint(b.l7)
	t8 := uint(a.l8) + uint(b.l8)
	q := t8 >> 24
	v.l0 = uint32(t0&mask29 + c0*q)
	v.l1 = uint32(t1&mask29 + c1*q + t0>>29)
	v.l2 = uint32(t2&mask29 + t1>>29)
	v.l3 = uint32(t3&mask29 + t2>>29)
	v.l4 = uint32(t4&mask29 + t3>>29)
	v.l5 = uint32(t5&mask29 + t4>>29)
	v.l6 = uint32(t6&mask29 + t5>>29)
	v.l7 = uint32(t7&mask29 + t6>>29)
	v.l8 = uint32(t8&mask24 + t7>>29)
	return v
}

// Sub sets v = a − b, and returns v.
func (v *Element) Sub(a, b *Element) *Element {
	t0 := uint(a.l0) + (twoP0 - uint(b.l0))
	t1 := uint(a.l1) + (twoP1 - uint(b.l1))
	t2 := uint(a.l2) + (twoPi - uint(b.l2))
	t3 := uint(a.l3) + (twoPi - uint(b.l3))
	t4 := uint(a.l4) + (twoPi - uint(b.l4))
	t5 := uint(a.l5) + (twoPi - uint(b.l5))
	t6 := uint(a.l6) + (twoPi - uint(b.l6))
	t7 := uint(a.l7) + (twoPi - uint(b.l7))
	t8 := uint(a.l8) + (twoP8 - uint(b.l8))
	q := t8 >> 24
	v.l0 = uint32(t0&mask29 + c0*q)
	v.l1 = uint32(t1&mask29 + c1*q + t0>>29)
	v.l2 = uint32(t2&mask29 + t1>>29)
	v.l3 = uint32(t3&mask29 + t2>>29)
	v.l4 = uint32(t4&mask29 + t3>>29)
	v.l5 = uint32(t5&mask29 + t4>>29)
	v.l6 = uint32(t6&mask29 + t5>>29)
	v.l7 = uint32(t7&mask29 + t6>>29)
	v.l8 = uint32(t8&mask24 + t7>>29)
	return v
}

// SubTwice sets v = a − 2b, and returns v.
func (v *Element) SubTwice(a, b *Element) *Element {
	t0 := uint(a.l0) + (fourP0 - 2*uint(b.l0))
	t1 := uint(a.l1) + (fourP1 - 2*uint(b.l1))
	t2 := uint(a.l2) + (fourPi - 2*uint(b.l2))
	t3 := uint(a.l3) + (fourPi - 2*uint(b.l3))
	t4 := uint(a.l4) + (fourPi - 2*uint(b.l4))
	t5 := uint(a.l5) + (fourPi - 2*uint(b.l5))
	t6 := uint(a.l6) + (fourPi - 2*uint(b.l6))
	t7 := uint(a.l7) + (fourPi - 2*uint(b.l7))
	t8 := uint(a.l8) + (fourP8 - 2*uint(b.l8))
	q := t8 >> 24
	v.l0 = uint32(t0&mask29 + c0*q)
	v.l1 = uint32(t1&mask29 + c1*q + t0>>29)
	v.l2 = uint32(t2&mask29 + t1>>29)
	v.l3 = uint32(t3&mask29 + t2>>29)
	v.l4 = uint32(t4&mask29 + t3>>29)
	v.l5 = uint32(t5&mask29 + t4>>29)
	v.l6 = uint32(t6&mask29 + t5>>29)
	v.l7 = uint32(t7&mask29 + t6>>29)
	v.l8 = uint32(t8&mask24 + t7>>29)
	return v
}

// Neg sets v = −a, and returns v.
func (v *Element) Neg(a *Element) *Element {
	var zero Element
	return v.Sub(&zero, a)
}

// MulSmall sets v = k·a, and returns v. k must be below 2^31.
func (v *Element) MulSmall(a *Element, k uint64) *Element {
	f := uint(k)
	t := prod(uint(a.l0), f)
	r0 := uint(t & mask29)
	t = prod(uint(a.l1), f) + t>>29
	r1 := uint(t & mask29)
	t = prod(uint(a.l2), f) + t>>29
	r2 := uint(t & mask29)
	t = prod(uint(a.l3), f) + t>>29
	r3 := uint(t & mask29)
	t = prod(uint(a.l4), f) + t>>29
	r4 := uint(t & mask29)
	t = prod(uint(a.l5), f) + t>>29
	r5 := uint(t & mask29)
	t = prod(uint(a.l6), f) + t>>29
	r6 := uint(t & mask29)
	t = prod(uint(a.l7), f) + t>>29
	r7 := uint(t & mask29)
	t = prod(uint(a.l8), f) + t>>29
	r8 := uint(t & mask24)
	q := t >> 24
	t0 := uint64(r0) + c0*q
	t1 := uint64(r1) + c1*q + t0>>29
	v.l0, v.l1, v.l2 = uint32(t0&mask29), uint32(t1&mask29), uint32(r2+uint(t1>>29))
	v.l3, v.l4, v.l5 = uint32(r3), uint32(r4), uint32(r5)
	v.l6, v.l7, v.l8 = uint32(r6), uint32(r7), uint32(r8)
	return v
}

// Half sets v = a/2, and returns v.
func (v *Element) Half(a *Element) *Element {
	// Either a or a + p is even, and is shifted right by one bit. The lowest bit of a limb becomes
	// bit 28 of the limb below.
	m := -(uint(a.l0) & 1)
	s0 := uint(a.l0) + m&p0
	s1 := uint(a.l1) + m&p1
	s2 := uint(a.l2) + m&pi
	s3 := uint(a.l3) + m&pi
	s4 := uint(a.l4) + m&pi
	s5 := uint(a.l5) + m&pi
	s6 := uint(a.l6) + m&pi
	s7 := uint(a.l7) + m&pi
	s8 := uint(a.l8) + m&p8
	t0 := s0>>1 + s1&1<<28
	t1 := s1>>1 + s2&1<<28
	t2 := s2>>1 + s3&1<<28
	t3 := s3>>1 + s4&1<<28
	t4 := s4>>1 + s5&1<<28
	t5 := s5>>1 + s6&1<<28
	t6 := s6>>1 + s7&1<<28
	t7 := s7>>1 + s8&1<<28
	t8 := s8 >> 1
	q := t8 >> 24
	v.l0 = uint32(t0&mask29 + c0*q)
	v.l1 = uint32(t1&mask29 + c1*q + t0>>29)
	v.l2 = uint32(t2&mask29 + t1>>29)
	v.l3 = uint32(t3&mask29 + t2>>29)
	v.l4 = uint32(t4&mask29 + t3>>29)
	v.l5 = uint32(t5&mask29 + t4>>29)
	v.l6 = uint32(t6&mask29 + t5>>29)
	v.l7 = uint32(t7&mask29 + t6>>29)
	v.l8 = uint32(t8&mask24 + t7>>29)
	return v
}

// ThreeHalves sets v = 3a/2, and returns v.
func (v *Element) ThreeHalves(a *Element) *Element {
	m := -(uint(a.l0) & 1)
	s0 := 3*uint(a.l0) + m&p0
	s1 := 3*uint(a.l1) + m&p1
	s2 := 3*uint(a.l2) + m&pi
	s3 := 3*uint(a.l3) + m&pi
	s4 := 3*uint(a.l4) + m&pi
	s5 := 3*uint(a.l5) + m&pi
	s6 := 3*uint(a.l6) + m&pi
	s7 := 3*uint(a.l7) + m&pi
	s8 := 3*uint(a.l8) + m&p8
	t0 := s0>>1 + s1&1<<28
	t1 := s1>>1 + s2&1<<28
	t2 := s2>>1 + s3&1<<28
	t3 := s3>>1 + s4&1<<28
	t4 := s4>>1 + s5&1<<28
	t5 := s5>>1 + s6&1<<28
	t6 := s6>>1 + s7&1<<28
	t7 := s7>>1 + s8&1<<28
	t8 := s8 >> 1
	q := t8 >> 24
	v.l0 = uint32(t0&mask29 + c0*q)
	v.l1 = uint32(t1&mask29 + c1*q + t0>>29)
	v.l2 = uint32(t2&mask29 + t1>>29)
	v.l3 = uint32(t3&mask29 + t2>>29)
	v.l4 = uint32(t4&mask29 + t3>>29)
	v.l5 = uint32(t5&mask29 + t4>>29)
	v.l6 = uint32(t6&mask29 + t5>>29)
	v.l7 = uint32(t7&mask29 + t6>>29)
	v.l8 = uint32(t8&mask24 + t7>>29)
	return v
}
