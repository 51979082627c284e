//go:build 386 || arm || mips || mipsle || wasm || (purego && narrow)

package field

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// On machines whose words or products have 32 bits, an element has nine limbs of 29 bits. So a
// sum of nine products of limbs, a column of a product, is below 2^62, and grows in 64 bits
// without a carry out of them; four words would take one after each addition. WebAssembly has
// words of 64 bits, but neither the upper half of a product nor a carry.
//
// Limbs are added and multiplied as uint, which is what a machine's register holds. What is
// computed stays below 2^32, whatever that is. docs/field-bounds.md has the bounds, and
// TestNarrowRanges proves them from this source.

const (
	mask29 = 1<<29 - 1
	mask24 = 1<<24 - 1

	// The limbs of c: 2^256 is worth c0 + c1·2^29.
	c0 = c & mask29
	c1 = c >> 29

	// 2^261, one above limb 8, is worth 2^5·c, and that is fold0 + 2^fold1·2^29.
	fold0 = c0 << 5
	fold1 = 3 + 5
)

// Size is how many bytes an Element takes in memory.
const Size = 36

// An Element is an element of the field with p elements. Its zero value is a
// valid zero.
//
// Its value is the sum of the limbs l_i·2^(29·i). The limbs are reduced: 0 to 7 are below
// 2^29 + 2^16 and limb 8 is below 2^24 + 2^4, so that the value is below 2p. It is canonical,
// that is below p and with limbs below 2^29, only after [Element.Normalize]. Methods that
// compute set their receiver to the result and return it. The receiver may be any of the
// arguments.
type Element struct {
	l0, l1, l2, l3, l4, l5, l6, l7, l8 uint32
}

// SetUint64 sets v = x, and returns v.
func (v *Element) SetUint64(x uint64) *Element { return v.SetLimbs(x, 0, 0, 0) }

// SetLimbs sets v to the value of four 64-bit words, least significant first, and
// returns v. Any value is accepted; one that is not below p stands for its
// residue.
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

// Words returns four 64-bit words of a number of 256 bits that is congruent to a, which need not
// be below p, least significant first. What SetLimbs was given comes back as it was.
func (a *Element) Words() (l0, l1, l2, l3 uint64) {
	t := *a
	t.carry()
	above := ct.Choice(t.l8 >> 24) // the value is 2^256 or more
	u := t
	u.minusP()
	return t.Select(above, &u, &t).pack()
}

// pack returns v, whose limbs are below 2^29 and the last one below 2^24, in 64-bit words.
func (v *Element) pack() (l0, l1, l2, l3 uint64) {
	l0 = uint64(v.l0) | uint64(v.l1)<<29 | uint64(v.l2)<<58
	l1 = uint64(v.l2)>>6 | uint64(v.l3)<<23 | uint64(v.l4)<<52
	l2 = uint64(v.l4)>>12 | uint64(v.l5)<<17 | uint64(v.l6)<<46
	l3 = uint64(v.l6)>>18 | uint64(v.l7)<<11 | uint64(v.l8)<<40
	return l0, l1, l2, l3
}

// PutWords sets b to the little-endian encoding of what Words returns.
func (a *Element) PutWords(b *[32]byte) {
	l0, l1, l2, l3 := a.Words()
	binary.LittleEndian.PutUint64(b[0:], l0)
	binary.LittleEndian.PutUint64(b[8:], l1)
	binary.LittleEndian.PutUint64(b[16:], l2)
	binary.LittleEndian.PutUint64(b[24:], l3)
}

// SetBytes sets v to the big-endian value of b. It returns 1 if that value is
// below p and so the canonical encoding of v, and 0 if it is not; v then
// stands for its residue.
func (v *Element) SetBytes(b *[32]byte) ct.Choice {
	v.SetLimbs(
		binary.BigEndian.Uint64(b[24:]), binary.BigEndian.Uint64(b[16:]),
		binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[0:]))
	t := *v
	return t.minusP().Not()
}

// PutBytes writes the canonical value of a to b, big-endian.
func (a *Element) PutBytes(b *[32]byte) {
	t := *a
	l0, l1, l2, l3 := t.Normalize().pack()
	binary.BigEndian.PutUint64(b[0:], l3)
	binary.BigEndian.PutUint64(b[8:], l2)
	binary.BigEndian.PutUint64(b[16:], l1)
	binary.BigEndian.PutUint64(b[24:], l0)
}

// carry makes limbs 0 to 7 of v smaller than 2^29, without bringing its value below p: that is
// less than 2^256 + 2^237, and limb 8 at most 2^24.
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

// minusP sets v to v + c modulo 2^256, which is v − p whenever v ≥ p, and returns whether it
// is. v must be carried.
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

// Normalize brings v to its canonical value, below p, and returns v.
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

// IsZero returns 1 if a ≡ 0.
func (a *Element) IsZero() ct.Choice {
	t := *a
	t.carry()
	// A carried value is below 2p, so that 0 and p are what stands for zero.
	zero := t.l0 | t.l1 | t.l2 | t.l3 | t.l4 | t.l5 | t.l6 | t.l7 | t.l8
	notOnes := (t.l2 & t.l3 & t.l4 & t.l5 & t.l6 & t.l7) ^ pi
	isP := (t.l0 ^ p0) | (t.l1 ^ p1) | notOnes | (t.l8 ^ p8)
	return ct.IsZero64(uint64(zero)) | ct.IsZero64(uint64(isP))
}

// IsOdd returns 1 if the canonical value of a is odd.
func (a *Element) IsOdd() ct.Choice {
	t := *a
	t.Normalize()
	return ct.Choice(t.l0 & 1)
}

// Declassify states that v is public from here on; see [ct.Declassify].
func (v *Element) Declassify() { ct.Declassify32(&v.l0, 9) }
