//go:build !386 && !arm && !mips && !mipsle && !wasm && !(purego && narrow)

package field

import "math/bits"

// Add sets v = a + b, and returns v.
func (v *Element) Add(a, b *Element) *Element {
	l0, k := bits.Add64(a.l0, b.l0, 0)
	l1, k := bits.Add64(a.l1, b.l1, k)
	l2, k := bits.Add64(a.l2, b.l2, k)
	l3, k := bits.Add64(a.l3, b.l3, k)
	l0, k = bits.Add64(l0, -k&c, 0)
	l1, k = bits.Add64(l1, 0, k)
	l2, k = bits.Add64(l2, 0, k)
	l3, k = bits.Add64(l3, 0, k)
	// A second carry means a + b ≥ 2^257 − c. The limbs then hold at most c − 2, so adding c
	// changes only the lowest limb.
	v.l0, v.l1, v.l2, v.l3 = l0+(-k&c), l1, l2, l3
	return v
}

// Sub sets v = a − b, and returns v.
func (v *Element) Sub(a, b *Element) *Element {
	l0, k := bits.Sub64(a.l0, b.l0, 0)
	l1, k := bits.Sub64(a.l1, b.l1, k)
	l2, k := bits.Sub64(a.l2, b.l2, k)
	l3, k := bits.Sub64(a.l3, b.l3, k)
	l0, k = bits.Sub64(l0, -k&c, 0)
	l1, k = bits.Sub64(l1, 0, k)
	l2, k = bits.Sub64(l2, 0, k)
	l3, k = bits.Sub64(l3, 0, k)
	// A second borrow means that a − b + 2^256 was below c. The value is then at least 2^256 − c,
	// so subtracting c changes only the lowest limb.
	v.l0, v.l1, v.l2, v.l3 = l0-(-k&c), l1, l2, l3
	return v
}

// SubTwice sets v = a − 2b, and returns v.
func (v *Element) SubTwice(a, b *Element) *Element {
	l0, k := bits.Sub64(a.l0, b.l0, 0)
	l1, k := bits.Sub64(a.l1, b.l1, k)
	l2, k := bits.Sub64(a.l2, b.l2, k)
	l3, k1 := bits.Sub64(a.l3, b.l3, k)
	l0, k = bits.Sub64(l0, b.l0, 0)
	l1, k = bits.Sub64(l1, b.l1, k)
	l2, k = bits.Sub64(l2, b.l2, k)
	l3, k2 := bits.Sub64(l3, b.l3, k)
	l0, k = bits.Sub64(l0, -k1&c+-k2&c, 0)
	l1, k = bits.Sub64(l1, 0, k)
	l2, k = bits.Sub64(l2, 0, k)
	l3, k = bits.Sub64(l3, 0, k)
	// A third borrow means that the value is at least 2^256 − 2c. The last subtraction then changes
	// only the lowest limb, as in Sub.
	v.l0, v.l1, v.l2, v.l3 = l0-(-k&c), l1, l2, l3
	return v
}

// Neg sets v = −a, and returns v.
func (v *Element) Neg(a *Element) *Element {
	// 2p − a is positive for every a below 2^256, and it is below 2^257. Its bit 256 is folded like
	// any carry. 2p = 2^256 + (2^256 − 2c), so the limbs of 2p are those of 2^256 − 2c, and bit 256.
	l0, k := bits.Sub64(1<<64-2*c, a.l0, 0)
	l1, k := bits.Sub64(1<<64-1, a.l1, k)
	l2, k := bits.Sub64(1<<64-1, a.l2, k)
	l3, k := bits.Sub64(1<<64-1, a.l3, k)
	// Without a borrow, bit 256 of 2p − a is set, and is replaced by c. The sum 2^256 − 2c − a + c
	// has no carry.
	l0, k = bits.Add64(l0, (k-1)&c, 0)
	l1, k = bits.Add64(l1, 0, k)
	l2, k = bits.Add64(l2, 0, k)
	v.l0, v.l1, v.l2, v.l3 = l0, l1, l2, l3+k
	return v
}

// MulSmall sets v = k·a, and returns v. k must be below 2^31.
func (v *Element) MulSmall(a *Element, k uint64) *Element {
	h0, l0 := bits.Mul64(a.l0, k)
	h1, l1 := bits.Mul64(a.l1, k)
	h2, l2 := bits.Mul64(a.l2, k)
	h3, l3 := bits.Mul64(a.l3, k)
	l1, q := bits.Add64(l1, h0, 0)
	l2, q = bits.Add64(l2, h1, q)
	l3, q = bits.Add64(l3, h2, q)
	// The part of k·a from 2^256 up is at most k, so c times this part fits in a limb.
	l0, q = bits.Add64(l0, (h3+q)*c, 0)
	l1, q = bits.Add64(l1, 0, q)
	l2, q = bits.Add64(l2, 0, q)
	l3, q = bits.Add64(l3, 0, q)
	// After a carry the value is less than 2^31·c, so adding c changes only the lowest limb.
	v.l0, v.l1, v.l2, v.l3 = l0+(-q&c), l1, l2, l3
	return v
}

// Half sets v = a/2, and returns v.
func (v *Element) Half(a *Element) *Element {
	// Halve a or a + p, whichever is even. The result is below 2^256.
	m := -(a.l0 & 1)
	l0, k := bits.Add64(a.l0, m&p0, 0)
	l1, k := bits.Add64(a.l1, m&p1, k)
	l2, k := bits.Add64(a.l2, m&p2, k)
	l3, k := bits.Add64(a.l3, m&p3, k)
	v.l0 = l0>>1 | l1<<63
	v.l1 = l1>>1 | l2<<63
	v.l2 = l2>>1 | l3<<63
	v.l3 = l3>>1 | k<<63
	return v
}

// ThreeHalves sets v = 3a/2, and returns v.
func (v *Element) ThreeHalves(a *Element) *Element {
	var h Element
	h.Half(a)
	return v.Add(a, &h)
}
