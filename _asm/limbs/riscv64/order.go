package riscv64

import "github.com/koblitz-go/koblitz/_asm/limbs"

// ModuloOrder returns w modulo n, the group order. It folds twice: it multiplies the part above
// 2^256 by d = 2^256 − n = d2·2^128 + d1·2^64 + d0, where d2 = 1, and adds the product to the rest:
//
//	w7 … w4 = h        r = w3 … w0 + h·d < 2^256 + 2^256·d, seven limbs, r6 ≤ 1
//	r6 r5 r4 = g ≤ d   t = r3 … r0 + g·d < 3·2^256, five limbs, t4 ≤ 2
//	t4                 y = t3 … t0 + t4·d < 2^256 + 2·d < 2·n
//
// y ≥ n exactly if y + d ≥ 2^256; the low 256 bits of y + d are then y − n. So ModuloOrder adds (t4
// + 1)·d to t3 … t0. If this does not carry, y was below n, and ModuloOrder subtracts d again.
func (m Machine) ModuloOrder(w Wide) (v Number) {
	d0, d1 := m.virtual(), m.virtual()
	m.ConstantBy(limbs.Word(limbs.D(), 0), d0, m.virtual)
	m.ConstantBy(limbs.Word(limbs.D(), 1), d1, m.virtual)

	var r [7]Reg
	copy(r[:4], w[:4])
	h := w[4:]
	carry := zero
	for i := range 4 {
		r[i], carry = m.accumulate(h[i], d0, r[i], carry)
	}
	r[4], carry = carry, zero
	for i := range 4 {
		r[i+1], carry = m.accumulate(h[i], d1, r[i+1], carry)
	}
	r[5], carry = carry, zero
	for i := range 4 {
		r[i+2], carry = m.sumWith(r[i+2], h[i], carry)
	}
	r[6] = carry

	t0, carry := m.accumulate(r[4], d0, r[0], zero)
	t1, carry := m.accumulate(r[5], d0, r[1], carry)
	g6 := m.sub(zero, r[6])
	t2, carry := m.sumWith(r[2], m.and(d0, g6), carry)
	t3, t4 := m.sum(r[3], carry)
	t1, carry = m.accumulate(r[4], d1, t1, zero)
	t2, carry = m.accumulate(r[5], d1, t2, carry)
	t3, carry = m.sumWith(t3, m.and(d1, g6), carry)
	t4 = m.add(t4, carry)
	t2, carry = m.sum(t2, r[4])
	t3, carry = m.sumWith(t3, r[5], carry)
	t4 = m.add(m.add(t4, r[6]), carry)

	// Add (t4 + 1)·d, where d is 2^256 minus the group order. Each limb of the product is below
	// 2^64.
	more := m.addi(t4, 1)
	y0, carry := m.sum(t0, m.low(more, d0))
	y1, carry := m.sumWith(t1, m.low(more, d1), carry)
	y2, carry := m.sumWith(t2, more, carry)
	y3, carry := m.sum(t3, carry)
	below := m.addi(carry, -1)
	return m.Minus(Number{y0, y1, y2, y3},
		Number{m.and(d0, below), m.and(d1, below), m.sub(zero, below), zero})
}

// sumWith returns a + b + carryIn modulo 2^64, and the carry out of this sum. At most one of its
// two additions may carry. So either carryIn is at most 1, or b and carryIn are below 2^63. carryIn
// may be the register zero.
func (m Machine) sumWith(a, b, carryIn Reg) (s, carryOut Reg) {
	s, carryOut = m.sum(a, b)
	if carryIn != zero {
		var k Reg
		s, k = m.sum(s, carryIn)
		carryOut = m.or(carryOut, k)
	}
	return s, carryOut
}
