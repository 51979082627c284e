//go:build 386 || arm || mips || mipsle || wasm || (purego && narrow)

package field

// Multiplication is schoolbook, column by column. Column k, of weight 2^(29·k), is the sum of the
// products a_i·b_j with i + j = k. Columns 9 to 16 are congruent to 2^5·c times columns 0 to 7. So
// each of columns 9 to 16 is added to two of the lower columns as soon as it is complete. The
// variables are:
//
//	h   a column from 9 up, with the carry from the column below it
//	u   its lowest 29 bits: fold0·u is added to the column nine below, 2^fold1·u to the
//	    one above that
//	t   a column from 0 to 8 with these summands, and the carry from the column below it
//	r   its lowest 29 bits, a limb of the result
//
// The last ones, u8 and t, are not cut to 29 bits. The bits of column 8 from bit 24 up are the
// number q, which counts multiples of 2^256; so c·q is added to the lowest limbs.
//
// The carry is added last, so that the products of a column do not wait for it.

// prod returns a·b for a and b below 2^32. A 32-bit machine has one instruction for it.
func prod(a, b uint) uint64 { return uint64(a) * uint64(b) }

// mulGeneric sets v = a·b.
func mulGeneric(v, a, b *Element) {
	a0, a1, a2, a3, a4 := uint(a.l0), uint(a.l1), uint(a.l2), uint(a.l3), uint(a.l4)
	a5, a6, a7, a8 := uint(a.l5), uint(a.l6), uint(a.l7), uint(a.l8)
	b0, b1, b2, b3, b4 := uint(b.l0), uint(b.l1), uint(b.l2), uint(b.l3), uint(b.l4)
	b5, b6, b7, b8 := uint(b.l5), uint(b.l6), uint(b.l7), uint(b.l8)
	h := prod(a1, b8) + prod(a2, b7) + prod(a3, b6) + prod(a4, b5) + prod(a5, b4) +
		prod(a6, b3) + prod(a7, b2) + prod(a8, b1)
	u0 := h & mask29
	t := prod(a0, b0) + fold0*u0
	r0 := uint(t & mask29)
	h = prod(a2, b8) + prod(a3, b7) + prod(a4, b6) + prod(a5, b5) + prod(a6, b4) +
		prod(a7, b3) + prod(a8, b2) + h>>29
	u1 := h & mask29
	t = prod(a0, b1) + prod(a1, b0) + fold0*u1 + u0<<fold1 + t>>29
	r1 := uint(t & mask29)
	h = prod(a3, b8) + prod(a4, b7) + prod(a5, b6) + prod(a6, b5) + prod(a7, b4) +
		prod(a8, b3) + h>>29
	u2 := h & mask29
	t = prod(a0, b2) + prod(a1, b1) + prod(a2, b0) + fold0*u2 + u1<<fold1 + t>>29
	r2 := uint(t & mask29)
	h = prod(a4, b8) + prod(a5, b7) + prod(a6, b6) + prod(a7, b5) + prod(a8, b4) + h>>29
	u3 := h & mask29
	t = prod(a0, b3) + prod(a1, b2) + prod(a2, b1) + prod(a3, b0) + fold0*u3 + u2<<fold1 +
		t>>29
	r3 := uint(t & mask29)
	h = prod(a5, b8) + prod(a6, b7) + prod(a7, b6) + prod(a8, b5) + h>>29
	u4 := h & mask29
	t = prod(a0, b4) + prod(a1, b3) + prod(a2, b2) + prod(a3, b1) + prod(a4, b0) +
		fold0*u4 + u3<<fold1 + t>>29
	r4 := uint(t & mask29)
	h = prod(a6, b8) + prod(a7, b7) + prod(a8, b6) + h>>29
	u5 := h & mask29
	t = prod(a0, b5) + prod(a1, b4) + prod(a2, b3) + prod(a3, b2) + prod(a4, b1) +
		prod(a5, b0) + fold0*u5 + u4<<fold1 + t>>29
	r5 := uint(t & mask29)
	h = prod(a7, b8) + prod(a8, b7) + h>>29
	u6 := h & mask29
	t = prod(a0, b6) + prod(a1, b5) + prod(a2, b4) + prod(a3, b3) + prod(a4, b2) +
		prod(a5, b1) + prod(a6, b0) + fold0*u6 + u5<<fold1 + t>>29
	r6 := uint(t & mask29)
	h = prod(a8, b8) + h>>29
	u7 := h & mask29
	t = prod(a0, b7) + prod(a1, b6) + prod(a2, b5) + prod(a3, b4) + prod(a4, b3) +
		prod(a5, b2) + prod(a6, b1) + prod(a7, b0) + fold0*u7 + u6<<fold1 + t>>29
	r7 := uint(t & mask29)
	u8 := h >> 29
	t = prod(a0, b8) + prod(a1, b7) + prod(a2, b6) + prod(a3, b5) + prod(a4, b4) +
		prod(a5, b3) + prod(a6, b2) + prod(a7, b1) + prod(a8, b0) + fold0*u8 + u7<<fold1 +
		t>>29
	r8 := uint(t & mask24)
	q := t>>24 + u8<<(fold1+5)
	// q counts multiples of 2^256. Adding q·c = q·(c0 + c1·2^29) in their place changes only the
	// three lowest limbs.
	t0 := uint64(r0) + c0*q
	t1 := uint64(r1) + c1*q + t0>>29
	v.l0, v.l1, v.l2 = uint32(t0&mask29), uint32(t1&mask29), uint32(r2+uint(t1>>29))
	v.l3, v.l4, v.l5 = uint32(r3), uint32(r4), uint32(r5)
	v.l6, v.l7, v.l8 = uint32(r6), uint32(r7), uint32(r8)
}

// squareNGeneric sets v = a^(2^n), n ≥ 1. The limbs stay in local variables from one square to
// the next.
func squareNGeneric(v, a *Element, n int) {
	a0, a1, a2, a3, a4 := uint(a.l0), uint(a.l1), uint(a.l2), uint(a.l3), uint(a.l4)
	a5, a6, a7, a8 := uint(a.l5), uint(a.l6), uint(a.l7), uint(a.l8)
	for {
		// Each product of different limbs occurs twice, so one factor is doubled.
		d0, d1, d2, d3 := 2*a0, 2*a1, 2*a2, 2*a3
		d4, d5, d6, d7 := 2*a4, 2*a5, 2*a6, 2*a7
		h := prod(d1, a8) + prod(d2, a7) + prod(d3, a6) + prod(d4, a5)
		u0 := h & mask29
		t := prod(a0, a0) + fold0*u0
		r0 := uint(t & mask29)
		h = prod(d2, a8) + prod(d3, a7) + prod(d4, a6) + prod(a5, a5) + h>>29
		u1 := h & mask29
		t = prod(d0, a1) + fold0*u1 + u0<<fold1 + t>>29
		r1 := uint(t & mask29)
		h = prod(d3, a8) + prod(d4, a7) + prod(d5, a6) + h>>29
		u2 := h & mask29
		t = prod(d0, a2) + prod(a1, a1) + fold0*u2 + u1<<fold1 + t>>29
		r2 := uint(t & mask29)
		h = prod(d4, a8) + prod(d5, a7) + prod(a6, a6) + h>>29
		u3 := h & mask29
		t = prod(d0, a3) + prod(d1, a2) + fold0*u3 + u2<<fold1 + t>>29
		r3 := uint(t & mask29)
		h = prod(d5, a8) + prod(d6, a7) + h>>29
		u4 := h & mask29
		t = prod(d0, a4) + prod(d1, a3) + prod(a2, a2) + fold0*u4 + u3<<fold1 + t>>29
		r4 := uint(t & mask29)
		h = prod(d6, a8) + prod(a7, a7) + h>>29
		u5 := h & mask29
		t = prod(d0, a5) + prod(d1, a4) + prod(d2, a3) + fold0*u5 + u4<<fold1 + t>>29
		r5 := uint(t & mask29)
		h = prod(d7, a8) + h>>29
		u6 := h & mask29
		t = prod(d0, a6) + prod(d1, a5) + prod(d2, a4) + prod(a3, a3) + fold0*u6 +
			u5<<fold1 + t>>29
		r6 := uint(t & mask29)
		h = prod(a8, a8) + h>>29
		u7 := h & mask29
		t = prod(d0, a7) + prod(d1, a6) + prod(d2, a5) + prod(d3, a4) + fold0*u7 +
			u6<<fold1 + t>>29
		r7 := uint(t & mask29)
		u8 := h >> 29
		t = prod(d0, a8) + prod(d1, a7) + prod(d2, a6) + prod(d3, a5) + prod(a4, a4) +
			fold0*u8 + u7<<fold1 + t>>29
		r8 := uint(t & mask24)
		q := t>>24 + u8<<(fold1+5)
		t0 := uint64(r0) + c0*q
		t1 := uint64(r1) + c1*q + t0>>29
		a0, a1, a2 = uint(t0&mask29), uint(t1&mask29), r2+uint(t1>>29)
		a3, a4, a5, a6, a7, a8 = r3, r4, r5, r6, r7, r8
		if n--; n <= 0 {
			break
		}
	}
	v.l0, v.l1, v.l2 = uint32(a0), uint32(a1), uint32(a2)
	v.l3, v.l4, v.l5 = uint32(a3), uint32(a4), uint32(a5)
	v.l6, v.l7, v.l8 = uint32(a6), uint32(a7), uint32(a8)
}
