package field

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// C is 2^256 − p, so 2^256 ≡ C modulo p. All code that needs p derives it from C.
const C = 1<<32 + 977

// c is C, under the name that comments and formulas of this package use.
const c = C

// Zero sets v = 0, and returns v.
func (v *Element) Zero() *Element {
	*v = Element{}
	return v
}

// One sets v = 1, and returns v.
func (v *Element) One() *Element {
	*v = Element{l0: 1}
	return v
}

// Set sets v = a, and returns v.
func (v *Element) Set(a *Element) *Element {
	//ct:secret a.l3 == 0
	*v = *a
	return v
}

// SetUniformBytes sets v to the big-endian number b modulo p, and returns v. If b is uniform, v is
// uniform with a bias of at most 2^-128 (RFC 9380, section 5.2).
func (v *Element) SetUniformBytes(b *[48]byte) *Element {
	//ct:secret b[0]&1 == 1
	var high, base Element
	high.SetLimbs(binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[0:]), 0, 0)
	high.Mul(&high, base.SetUint64(c)) // 2^256 ≡ c
	v.SetBytes((*[32]byte)(b[16:]))
	return v.Add(v, &high)
}

// PutBytes writes the canonical value of a to b, big-endian.
func (a *Element) PutBytes(b *[32]byte) {
	t := *a
	l0, l1, l2, l3 := t.Normalize().Words()
	binary.BigEndian.PutUint64(b[0:], l3)
	binary.BigEndian.PutUint64(b[8:], l2)
	binary.BigEndian.PutUint64(b[16:], l1)
	binary.BigEndian.PutUint64(b[24:], l0)
}

// PutWords sets b to the little-endian encoding of the words that Words returns.
func (a *Element) PutWords(b *[32]byte) {
	l0, l1, l2, l3 := a.Words()
	binary.LittleEndian.PutUint64(b[0:], l0)
	binary.LittleEndian.PutUint64(b[8:], l1)
	binary.LittleEndian.PutUint64(b[16:], l2)
	binary.LittleEndian.PutUint64(b[24:], l3)
}

// Equal returns 1 if a ≡ b, and 0 if not.
func (a *Element) Equal(b *Element) ct.Choice {
	var d Element
	return d.Sub(a, b).IsZero()
}

// Wipe overwrites v with zero. It is not inlined, because the compiler would
// then remove the stores as dead.
//
//go:noinline
func (v *Element) Wipe() { *v = Element{} }

// Double sets v = 2·a, and returns v.
func (v *Element) Double(a *Element) *Element {
	//ct:secret a.l3>>20&1 == 1
	return v.Add(a, a)
}

// CondNeg sets v = −a if choice is 1 and v = a if it is 0, and returns v.
func (v *Element) CondNeg(a *Element, choice ct.Choice) *Element {
	//ct:secret choice == 1
	var n Element
	n.Neg(a)
	return v.Select(choice, &n, a)
}
