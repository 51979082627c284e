//go:build !386 && !arm && !mips && !mipsle && !wasm && !(purego && narrow)

package field

import (
	"encoding/binary"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// The limbs of p, least significant first.
const (
	p0 = 1<<64 - c
	p1 = 1<<64 - 1
	p2 = 1<<64 - 1
	p3 = 1<<64 - 1
)

// Size is the size of an Element in memory, in bytes.
const Size = 32

// An Element is an element of the field with p elements. Its zero value is a valid zero.
//
// The limbs are little-endian and hold any value in [0, 2^256). Only [Element.Normalize] makes it
// canonical, below p. Methods that compute set their receiver to the result and return it. The
// receiver may be any of the arguments. Kernels read and write the four words in this order.
type Element struct {
	l0, l1, l2, l3 uint64
}

// SetUint64 sets v = x, and returns v.
func (v *Element) SetUint64(x uint64) *Element {
	*v = Element{l0: x}
	return v
}

// SetLimbs sets v to the value of four limbs, least significant first, and
// returns v. Any value is accepted, and represents its residue modulo p.
func (v *Element) SetLimbs(l0, l1, l2, l3 uint64) *Element {
	*v = Element{l0, l1, l2, l3}
	return v
}

// Limbs returns the canonical value of a, least significant limb first.
func (a *Element) Limbs() [4]uint64 {
	t := *a
	t.Normalize()
	return [4]uint64{t.l0, t.l1, t.l2, t.l3}
}

// Words returns the four 64-bit limbs, least significant first, of a number of 256 bits that is
// congruent to a. The number may be p or more. Words has four results because Go passes them in
// registers; an array would be stored to memory and read back at once.
func (a *Element) Words() (l0, l1, l2, l3 uint64) { return a.l0, a.l1, a.l2, a.l3 }

// SetBytes sets v to the big-endian value of b. It returns 1 if that value is below p, that is, if
// b is the canonical encoding of v. Otherwise it returns 0, and v is congruent to the value.
func (v *Element) SetBytes(b *[32]byte) ct.Choice {
	v.l3 = binary.BigEndian.Uint64(b[0:])
	v.l2 = binary.BigEndian.Uint64(b[8:])
	v.l1 = binary.BigEndian.Uint64(b[16:])
	v.l0 = binary.BigEndian.Uint64(b[24:])
	_, canonical := v.minusP()
	return canonical
}

// minusP returns a + c modulo 2^256, which is a − p if a ≥ p. The second result is 1 if a is below
// p, that is, if adding c did not carry.
func (a *Element) minusP() (Element, ct.Choice) {
	var t Element
	var k uint64
	t.l0, k = bits.Add64(a.l0, c, 0)
	t.l1, k = bits.Add64(a.l1, 0, k)
	t.l2, k = bits.Add64(a.l2, 0, k)
	t.l3, k = bits.Add64(a.l3, 0, k)
	return t, ct.Choice(k ^ 1)
}

// Normalize reduces v to its canonical value, below p, and returns v. One
// conditional subtraction is enough, because 2^256 < 2p.
func (v *Element) Normalize() *Element {
	t, below := v.minusP()
	return v.Select(below, v, &t)
}

// Select sets v = a if choice is 1 and v = b if it is 0, and returns v.
func (v *Element) Select(choice ct.Choice, a, b *Element) *Element {
	m := choice.Mask()
	v.l0 = b.l0 ^ (m & (a.l0 ^ b.l0))
	v.l1 = b.l1 ^ (m & (a.l1 ^ b.l1))
	v.l2 = b.l2 ^ (m & (a.l2 ^ b.l2))
	v.l3 = b.l3 ^ (m & (a.l3 ^ b.l3))
	return v
}

// IsZero returns 1 if a ≡ 0, and 0 if not.
func (a *Element) IsZero() ct.Choice {
	// The two representations of zero are 0 and p.
	zero := a.l0 | a.l1 | a.l2 | a.l3
	isP := (a.l0 ^ p0) | (a.l1 ^ p1) | (a.l2 ^ p2) | (a.l3 ^ p3)
	return ct.IsZero64(zero) | ct.IsZero64(isP)
}

// IsOdd returns 1 if the canonical value of a is odd, and 0 if it is even.
func (a *Element) IsOdd() ct.Choice {
	// p is odd, so subtracting p flips the parity.
	_, below := a.minusP()
	return ct.Choice(a.l0&1) ^ below.Not()
}

// Declassify marks v as public for ctcheck, which checks that time does not depend on secrets; see
// [ct.Declassify].
func (v *Element) Declassify() { ct.Declassify(&v.l0, 4) }
