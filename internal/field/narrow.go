//go:build 386 || arm || mips || mipsle || wasm || (purego && narrow)

package field

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// On machines with words or products of 32 bits, an element has nine limbs of 29 bits. A column of
// a product is a sum of nine products of limbs. It is below 2^62, so it fits in 64 bits without a
// carry. Four words of 64 bits would need a carry after each addition. WebAssembly uses this form
// as well: it has words of 64 bits, but no instruction for the upper half of a product and none for
// a carry.
//
// Limbs are added and multiplied as uint, the type of a machine register. All results stay below
// 2^32, so 32 bits are enough. docs/field-bounds.md has the bounds, and TestNarrowRanges proves
// them from this source.

const (
	mask29 = 1<<29 - 1
	mask24 = 1<<24 - 1

	// c0 and c1 are the limbs of c: 2^256 ≡ c = c0 + c1·2^29.
	c0 = c & mask29
	c1 = c >> 29

	// 2^261, the weight of the limb above limb 8, is congruent to 2^5·c = fold0 + 2^fold1·2^29.
	fold0 = c0 << 5
	fold1 = 3 + 5
)

// Size is the size of an Element in memory, in bytes.
const Size = 36

// An Element is an element of the field with p elements. Its zero value is a valid zero.
//
// Its value is the sum of the limbs l_i·2^(29·i). The limbs are reduced: 0 to 7 are below 2^29 +
// 2^16 and limb 8 is below 2^24 + 2^4, so the value is below 2p. Only [Element.Normalize] makes it
// canonical: below p, and with limbs below 2^29. Methods that compute set their receiver to the
// result and return it. The receiver may be any of the arguments.
type Element struct {
	l0, l1, l2, l3, l4, l5, l6, l7, l8 uint32
}

// SetUint64 sets v = x, and returns v.
func (v *Element) SetUint64(x uint64) *Element { return v.SetLimbs(x, 0, 0, 0) }

// SetLimbs sets v to the value of four 64-bit words, least significant first, and
// returns v. Any value is accepted, and represents its residue modulo p.
func (v *Element) SetLimbs(l0, l1, l2, l3 uint64) *Element {
	v.l0 = uint32(l0 & mask29)
	v.l1 = uint32(l0 >> 29 & mask29)
	v.l2 = uint32((l0>>58 | l1<<6) & mask29)
	v.l3 = uint32(l1 >> 23 & mask29)
	v.l4 = uint32((l1>>52 | l2<<12) & mask29)
	v.l5 = uint32(l2 >> 17 & mask29)
	v.l6 = uint32((l2>>46 | l3<<18) & mask29)
	v.l7 = uint32(l3 >> 11 & mask29)
	v.l8 = uint32(l3 >> 40)
	return v
}

// Limbs returns the canonical value of a in four 64-bit words, least significant first.
func (a *Element) Limbs() (l [4]uint64) {
	t := *a
	l[0], l[1], l[2], l[3] = t.Normalize().pack()
	return l
}

// Words returns the four 64-bit words, least significant first, of a number of 256 bits that is
// congruent to a. The number may be p or more. After SetLimbs, Words returns the same words.
func (a *Element) Words() (l0, l1, l2, l3 uint64) {
	t := *a
	t.carry()
	above := ct.Choice(t.l8 >> 24) // 1 if the value is 2^256 or more
	u := t
	u.minusP()
	return t.Select(above, &u, &t).pack()
}

// pack returns the value of v in 64-bit words. Limbs 0 to 7 of v must be below 2^29, and limb 8
// below 2^24.
func (v *Element) pack() (l0, l1, l2, l3 uint64) {
	l0 = uint64(v.l0) | uint64(v.l1)<<29 | uint64(v.l2)<<58
	l1 = uint64(v.l2)>>6 | uint64(v.l3)<<23 | uint64(v.l4)<<52
	l2 = uint64(v.l4)>>12 | uint64(v.l5)<<17 | uint64(v.l6)<<46
	l3 = uint64(v.l6)>>18 | uint64(v.l7)<<11 | uint64(v.l8)<<40
	return l0, l1, l2, l3
}

// SetBytes sets v to the big-endian value of b. It returns 1 if that value is below p, that is, if
// b is the canonical encoding of v. Otherwise it returns 0, and v is congruent to the value.
func (v *Element) SetBytes(b *[32]byte) ct.Choice {
	v.SetLimbs(
		binary.BigEndian.Uint64(b[24:]), binary.BigEndian.Uint64(b[16:]),
		binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[0:]))
	t := *v
	return t.minusP().Not()
}

// carry makes limbs 0 to 7 of v smaller than 2^29. It does not reduce the value below p: afterwards
// the value is below 2^256 + 2^237, and limb 8 is at most 2^24.
func (v *Element) carry() {
	q := uint(v.l8 >> 24)
	t := uint(v.l0) + c0*q
	v.l0 = uint32(t & mask29)
	t = uint(v.l1) + c1*q + t>>29
	v.l1 = uint32(t & mask29)
	t = uint(v.l2) + t>>29
	v.l2 = uint32(t & mask29)
	t = uint(v.l3) + t>>29
	v.l3 = uint32(t & mask29)
	t = uint(v.l4) + t>>29
	v.l4 = uint32(t & mask29)
	t = uint(v.l5) + t>>29
	v.l5 = uint32(t & mask29)
	t = uint(v.l6) + t>>29
	v.l6 = uint32(t & mask29)
	t = uint(v.l7) + t>>29
	v.l7 = uint32(t & mask29)
	v.l8 = v.l8&mask24 + uint32(t>>29)
}

// minusP sets v to v + c modulo 2^256, and returns 1 if v was at least p; v is then the old v − p.
// v must be a result of the method carry.
func (v *Element) minusP() ct.Choice {
	t := uint(v.l0) + c0
	v.l0 = uint32(t & mask29)
	t = uint(v.l1) + c1 + t>>29
	v.l1 = uint32(t & mask29)
	t = uint(v.l2) + t>>29
	v.l2 = uint32(t & mask29)
	t = uint(v.l3) + t>>29
	v.l3 = uint32(t & mask29)
	t = uint(v.l4) + t>>29
	v.l4 = uint32(t & mask29)
	t = uint(v.l5) + t>>29
	v.l5 = uint32(t & mask29)
	t = uint(v.l6) + t>>29
	v.l6 = uint32(t & mask29)
	t = uint(v.l7) + t>>29
	v.l7 = uint32(t & mask29)
	t = uint(v.l8) + t>>29
	v.l8 = uint32(t & mask24)
	return ct.Choice(t >> 24)
}

// Normalize reduces v to its canonical value, below p, and returns v.
func (v *Element) Normalize() *Element {
	v.carry()
	t := *v
	return v.Select(t.minusP(), &t, v)
}

// Select sets v = a if choice is 1 and v = b if it is 0, and returns v.
func (v *Element) Select(choice ct.Choice, a, b *Element) *Element {
	m := uint32(choice.Mask())
	v.l0 = b.l0 ^ (m & (a.l0 ^ b.l0))
	v.l1 = b.l1 ^ (m & (a.l1 ^ b.l1))
	v.l2 = b.l2 ^ (m & (a.l2 ^ b.l2))
	v.l3 = b.l3 ^ (m & (a.l3 ^ b.l3))
	v.l4 = b.l4 ^ (m & (a.l4 ^ b.l4))
	v.l5 = b.l5 ^ (m & (a.l5 ^ b.l5))
	v.l6 = b.l6 ^ (m & (a.l6 ^ b.l6))
	v.l7 = b.l7 ^ (m & (a.l7 ^ b.l7))
	v.l8 = b.l8 ^ (m & (a.l8 ^ b.l8))
	return v
}

// IsZero returns 1 if a ≡ 0, and 0 if not.
func (a *Element) IsZero() ct.Choice {
	t := *a
	t.carry()
	// A carried value is below 2p, so only 0 and p represent zero.
	zero := t.l0 | t.l1 | t.l2 | t.l3 | t.l4 | t.l5 | t.l6 | t.l7 | t.l8
	notOnes := (t.l2 & t.l3 & t.l4 & t.l5 & t.l6 & t.l7) ^ pi
	isP := (t.l0 ^ p0) | (t.l1 ^ p1) | notOnes | (t.l8 ^ p8)
	return ct.IsZero64(uint64(zero)) | ct.IsZero64(uint64(isP))
}

// IsOdd returns 1 if the canonical value of a is odd, and 0 if it is even.
func (a *Element) IsOdd() ct.Choice {
	t := *a
	t.Normalize()
	return ct.Choice(t.l0 & 1)
}

// Declassify marks v as public for ctcheck, which checks that time does not depend on secrets; see
// [ct.Declassify].
func (v *Element) Declassify() { ct.Declassify32(&v.l0, 9) }
