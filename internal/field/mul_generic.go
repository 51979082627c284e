//go:build !386 && !arm && !mips && !mipsle && !wasm && !(purego && narrow)

package field

import "math/bits"

// Multiplication is schoolbook, row by row. Then three folds reduce the part of the product from
// 2^256 up. A fold multiplies this part by c ≡ 2^256, a number of 33 bits, and adds it to the rest:
//
//	512-bit product   r7 … r4 | r3 … r0
//	first fold        r4 | r3 … r0       r4 ≤ c: c·(r7 … r4) < c·2^256
//	second fold       k | r3 … r0        k ≤ 1: c·r4 < 2^65
//	third fold            r3 … r0        if k = 1, r3 … r0 is less than 2^65
//
// A carry k = 1 is rare (probability about 2^−194 for random factors), but chosen factors cause it.
// The third fold always adds c under a mask, and its carry ends in the second limb.
//
// In each row one carry chain adds the low halves of the four products, and a second one adds the
// high halves, one limb further up. The compiler turns such a chain, with no other instruction in
// it, into ADCs that do not save the carry.

// mulGeneric sets v = a·b.
func mulGeneric(v, a, b *Element) {
	b0, b1, b2, b3 := b.l0, b.l1, b.l2, b.l3

	x := a.l0
	h0, r0 := bits.Mul64(x, b0)
	h1, l1 := bits.Mul64(x, b1)
	h2, l2 := bits.Mul64(x, b2)
	h3, l3 := bits.Mul64(x, b3)
	r1, k := bits.Add64(l1, h0, 0)
	r2, k := bits.Add64(l2, h1, k)
	r3, k := bits.Add64(l3, h2, k)
	r4 := h3 + k

	x = a.l1
	h0, l0 := bits.Mul64(x, b0)
	h1, l1 = bits.Mul64(x, b1)
	h2, l2 = bits.Mul64(x, b2)
	h3, l3 = bits.Mul64(x, b3)
	r1, k = bits.Add64(r1, l0, 0)
	r2, k = bits.Add64(r2, l1, k)
	r3, k = bits.Add64(r3, l2, k)
	r4, k = bits.Add64(r4, l3, k)
	r5 := k
	r2, k = bits.Add64(r2, h0, 0)
	r3, k = bits.Add64(r3, h1, k)
	r4, k = bits.Add64(r4, h2, k)
	r5, _ = bits.Add64(r5, h3, k)

	x = a.l2
	h0, l0 = bits.Mul64(x, b0)
	h1, l1 = bits.Mul64(x, b1)
	h2, l2 = bits.Mul64(x, b2)
	h3, l3 = bits.Mul64(x, b3)
	r2, k = bits.Add64(r2, l0, 0)
	r3, k = bits.Add64(r3, l1, k)
	r4, k = bits.Add64(r4, l2, k)
	r5, k = bits.Add64(r5, l3, k)
	r6 := k
	r3, k = bits.Add64(r3, h0, 0)
	r4, k = bits.Add64(r4, h1, k)
	r5, k = bits.Add64(r5, h2, k)
	r6, _ = bits.Add64(r6, h3, k)

	x = a.l3
	h0, l0 = bits.Mul64(x, b0)
	h1, l1 = bits.Mul64(x, b1)
	h2, l2 = bits.Mul64(x, b2)
	h3, l3 = bits.Mul64(x, b3)
	r3, k = bits.Add64(r3, l0, 0)
	r4, k = bits.Add64(r4, l1, k)
	r5, k = bits.Add64(r5, l2, k)
	r6, k = bits.Add64(r6, l3, k)
	r7 := k
	r4, k = bits.Add64(r4, h0, 0)
	r5, k = bits.Add64(r5, h1, k)
	r6, k = bits.Add64(r6, h2, k)
	r7, _ = bits.Add64(r7, h3, k)

	// First fold: multiply r7 … r4 by c and add the product to r3 … r0.
	h0, l0 = bits.Mul64(r4, c)
	h1, l1 = bits.Mul64(r5, c)
	h2, l2 = bits.Mul64(r6, c)
	h3, l3 = bits.Mul64(r7, c)
	r0, k = bits.Add64(r0, l0, 0)
	r1, k = bits.Add64(r1, l1, k)
	r2, k = bits.Add64(r2, l2, k)
	r3, k = bits.Add64(r3, l3, k)
	r4 = k
	r1, k = bits.Add64(r1, h0, 0)
	r2, k = bits.Add64(r2, h1, k)
	r3, k = bits.Add64(r3, h2, k)
	r4, _ = bits.Add64(r4, h3, k)

	// Second fold: multiply r4 by c and add the product to r3 … r0.
	h0, l0 = bits.Mul64(r4, c)
	r0, k = bits.Add64(r0, l0, 0)
	r1, k = bits.Add64(r1, h0, k)
	r2, k = bits.Add64(r2, 0, k)
	r3, k = bits.Add64(r3, 0, k)

	// Third fold: add c if the second fold carried.
	r0, k = bits.Add64(r0, -k&c, 0)
	v.l0, v.l1, v.l2, v.l3 = r0, r1+k, r2, r3
}

// squareNGeneric sets v = a^(2^n), n ≥ 1. The value stays in registers from one squaring to the
// next.
func squareNGeneric(v, a *Element, n int) {
	a0, a1, a2, a3 := a.l0, a.l1, a.l2, a.l3
	for {
		// The products of different limbs occur twice, so they are doubled.
		h01, r1 := bits.Mul64(a0, a1)
		h02, l02 := bits.Mul64(a0, a2)
		h03, l03 := bits.Mul64(a0, a3)
		h12, l12 := bits.Mul64(a1, a2)
		h13, l13 := bits.Mul64(a1, a3)
		h23, l23 := bits.Mul64(a2, a3)
		r2, k := bits.Add64(l02, h01, 0)
		r3, k := bits.Add64(l03, h02, k)
		r4, k := bits.Add64(l13, h03, k)
		r5, k := bits.Add64(l23, h13, k)
		r6 := h23 + k
		r3, k = bits.Add64(r3, l12, 0)
		r4, k = bits.Add64(r4, h12, k)
		r5, k = bits.Add64(r5, 0, k)
		r6 += k

		r1, k = bits.Add64(r1, r1, 0)
		r2, k = bits.Add64(r2, r2, k)
		r3, k = bits.Add64(r3, r3, k)
		r4, k = bits.Add64(r4, r4, k)
		r5, k = bits.Add64(r5, r5, k)
		r6, k = bits.Add64(r6, r6, k)
		r7 := k

		// The four squares.
		h0, r0 := bits.Mul64(a0, a0)
		h1, l1 := bits.Mul64(a1, a1)
		h2, l2 := bits.Mul64(a2, a2)
		h3, l3 := bits.Mul64(a3, a3)
		r1, k = bits.Add64(r1, h0, 0)
		r2, k = bits.Add64(r2, l1, k)
		r3, k = bits.Add64(r3, h1, k)
		r4, k = bits.Add64(r4, l2, k)
		r5, k = bits.Add64(r5, h2, k)
		r6, k = bits.Add64(r6, l3, k)
		r7, _ = bits.Add64(r7, h3, k)

		// The three folds, as in mulGeneric.
		h0, l0 := bits.Mul64(r4, c)
		h1, l1 = bits.Mul64(r5, c)
		h2, l2 = bits.Mul64(r6, c)
		h3, l3 = bits.Mul64(r7, c)
		r0, k = bits.Add64(r0, l0, 0)
		r1, k = bits.Add64(r1, l1, k)
		r2, k = bits.Add64(r2, l2, k)
		r3, k = bits.Add64(r3, l3, k)
		r4 = k
		r1, k = bits.Add64(r1, h0, 0)
		r2, k = bits.Add64(r2, h1, k)
		r3, k = bits.Add64(r3, h2, k)
		r4, _ = bits.Add64(r4, h3, k)

		h0, l0 = bits.Mul64(r4, c)
		r0, k = bits.Add64(r0, l0, 0)
		r1, k = bits.Add64(r1, h0, k)
		r2, k = bits.Add64(r2, 0, k)
		r3, k = bits.Add64(r3, 0, k)

		r0, k = bits.Add64(r0, -k&c, 0)
		a0, a1, a2, a3 = r0, r1+k, r2, r3
		if n--; n <= 0 {
			break
		}
	}
	v.l0, v.l1, v.l2, v.l3 = a0, a1, a2, a3
}
