package secp256k1

import (
	"encoding/binary"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A FieldVal is a number modulo the field prime p. The zero value is 0. Methods that
// compute set their receiver, which may be any of the arguments, and return it. None
// takes a time that depends on a value.
//
// A value is canonical, and so can be compared with ==, after [FieldVal.Normalize] and
// where it was set from a number below p.
type FieldVal field.Element

// FieldVal64 is what the development branch of the module that this package stands in
// for calls a field value of four words of 64 bits. Every FieldVal is one.
type FieldVal64 = FieldVal

func (f *FieldVal) element() *field.Element { return (*field.Element)(f) }

// String returns the value as 64 hexadecimal digits.
func (f FieldVal) String() string {
	var b [32]byte
	f.element().PutBytes(&b)
	return digits(&b)
}

// Zero sets f = 0.
func (f *FieldVal) Zero() { f.element().Zero() }

// Set sets f = val.
func (f *FieldVal) Set(val *FieldVal) *FieldVal {
	*f = *val
	return f
}

// SetInt sets f = ui.
func (f *FieldVal) SetInt(ui uint16) *FieldVal {
	f.element().SetUint64(uint64(ui))
	return f
}

// SetBytes sets f to the big-endian number b, and returns 1 if b is not below p, and 0 if it
// is. If b is not below p, f is congruent to b, and canonical only after Normalize.
func (f *FieldVal) SetBytes(b *[32]byte) uint32 {
	return uint32(f.element().SetBytes(b).Not())
}

// SetByteSlice sets f to the big-endian number in the first 32 bytes, or in all of them if
// there are fewer, and reports whether the number is not below p, as SetBytes does. The time
// depends on the length.
func (f *FieldVal) SetByteSlice(bytes []byte) bool {
	var number [32]byte
	pad(&number, bytes)
	overflow := f.SetBytes(&number) != 0
	ct.Wipe(number[:])
	return overflow
}

// pad sets number to the first 32 bytes of b, behind zeros if they are fewer.
func pad(number *[32]byte, b []byte) {
	b = b[:min(len(b), 32)]
	copy(number[32-len(b):], b)
}

// Normalize makes f canonical, that is less than p.
func (f *FieldVal) Normalize() *FieldVal {
	f.element().Normalize()
	return f
}

// PutBytes writes f to b, big-endian. f must be normalized: it is not reduced here.
func (f *FieldVal) PutBytes(b *[32]byte) {
	l0, l1, l2, l3 := f.element().Words()
	binary.BigEndian.PutUint64(b[0:], l3)
	binary.BigEndian.PutUint64(b[8:], l2)
	binary.BigEndian.PutUint64(b[16:], l1)
	binary.BigEndian.PutUint64(b[24:], l0)
}

// PutBytesUnchecked is PutBytes to the first 32 bytes of b. It panics if b is shorter.
func (f *FieldVal) PutBytesUnchecked(b []byte) { f.PutBytes((*[32]byte)(b)) }

// Bytes returns f in 32 bytes, big-endian.
func (f *FieldVal) Bytes() *[32]byte {
	b := new([32]byte)
	f.PutBytes(b)
	return b
}

// is returns 1 if f has these limbs, least significant first, and 0 otherwise.
func (f *FieldVal) is(k0, k1, k2, k3 uint64) uint32 {
	l0, l1, l2, l3 := f.element().Words()
	return uint32(ct.IsZero64((l0 ^ k0) | (l1 ^ k1) | (l2 ^ k2) | (l3 ^ k3)))
}

// IsZeroBit returns 1 if f, which must be normalized, is 0, and 0 otherwise.
func (f *FieldVal) IsZeroBit() uint32 { return f.is(0, 0, 0, 0) }

// IsZero reports whether f, which must be normalized, is 0.
func (f *FieldVal) IsZero() bool { return f.IsZeroBit() != 0 }

// IsOneBit returns 1 if f, which must be normalized, is 1, and 0 otherwise.
func (f *FieldVal) IsOneBit() uint32 { return f.is(1, 0, 0, 0) }

// IsOne reports whether f, which must be normalized, is 1.
func (f *FieldVal) IsOne() bool { return f.IsOneBit() != 0 }

// IsOddBit returns 1 if f, which must be normalized, is odd, and 0 otherwise.
func (f *FieldVal) IsOddBit() uint32 {
	l0, _, _, _ := f.element().Words()
	return uint32(l0 & 1)
}

// IsOdd reports whether f, which must be normalized, is odd.
func (f *FieldVal) IsOdd() bool { return f.IsOddBit() != 0 }

// Equals reports whether f and val, which must be normalized, are the same.
func (f *FieldVal) Equals(val *FieldVal) bool { return f.is(val.element().Words()) != 0 }

// NegateVal sets f = −val. The magnitude is ignored.
func (f *FieldVal) NegateVal(val *FieldVal, magnitude uint32) *FieldVal {
	f.element().Neg(val.element())
	return f
}

// Negate sets f = −f. The magnitude is ignored.
func (f *FieldVal) Negate(magnitude uint32) *FieldVal { return f.NegateVal(f, magnitude) }

// AddInt sets f = f + ui.
func (f *FieldVal) AddInt(ui uint16) *FieldVal {
	var x field.Element
	f.element().Add(f.element(), x.SetUint64(uint64(ui)))
	return f
}

// Add sets f = f + val.
func (f *FieldVal) Add(val *FieldVal) *FieldVal { return f.Add2(f, val) }

// Add2 sets f = val + val2.
func (f *FieldVal) Add2(val, val2 *FieldVal) *FieldVal {
	f.element().Add(val.element(), val2.element())
	return f
}

// MulInt sets f = f·val.
func (f *FieldVal) MulInt(val uint8) *FieldVal {
	f.element().MulSmall(f.element(), uint64(val))
	return f
}

// MulBy2 sets f = 2·f.
func (f *FieldVal) MulBy2() *FieldVal {
	f.element().Double(f.element())
	return f
}

// MulBy3 sets f = 3·f.
func (f *FieldVal) MulBy3() *FieldVal { return f.MulInt(3) }

// MulBy4 sets f = 4·f.
func (f *FieldVal) MulBy4() *FieldVal { return f.MulInt(4) }

// MulBy8 sets f = 8·f.
func (f *FieldVal) MulBy8() *FieldVal { return f.MulInt(8) }

// Mul sets f = f·val.
func (f *FieldVal) Mul(val *FieldVal) *FieldVal { return f.Mul2(f, val) }

// Mul2 sets f = val·val2.
func (f *FieldVal) Mul2(val, val2 *FieldVal) *FieldVal {
	f.element().Mul(val.element(), val2.element())
	return f
}

// Square sets f = f².
func (f *FieldVal) Square() *FieldVal { return f.SquareVal(f) }

// SquareVal sets f = val².
func (f *FieldVal) SquareVal(val *FieldVal) *FieldVal {
	f.element().Square(val.element())
	return f
}

// SquareRootVal sets f to a square root of val and returns true if val is a square.
// Otherwise f is a square root of −val, and it returns false. It normalizes val, on which
// callers may rely that look at val afterwards.
func (f *FieldVal) SquareRootVal(val *FieldVal) bool {
	square := f.element().Sqrt(val.element()).Bool()
	val.Normalize()
	return square
}

// Inverse sets f = 1/f, or 0 if f is 0.
func (f *FieldVal) Inverse() *FieldVal {
	//ct:leak f.IsZero()
	f.element().Invert(f.element())
	return f
}

// IsGtOrEqPrimeMinusOrder reports whether f, which must be normalized, is not below p − n,
// where n is the order of the curve's group: whether f + n is p or more and so no coordinate.
func (f *FieldVal) IsGtOrEqPrimeMinusOrder() bool {
	// f + n is not below p = 2²⁵⁶ − C where f + n + C is not below 2²⁵⁶.
	a0, a1, a2, a3 := f.element().Words()
	s0, carry := bits.Add64(a0, scalar.N0, 0)
	s1, carry := bits.Add64(a1, scalar.N1, carry)
	s2, carry := bits.Add64(a2, scalar.N2, carry)
	s3, over := bits.Add64(a3, scalar.N3, carry)
	_, carry = bits.Add64(s0, field.C, 0)
	_, carry = bits.Add64(s1, 0, carry)
	_, carry = bits.Add64(s2, 0, carry)
	_, carry = bits.Add64(s3, 0, carry)
	return over|carry != 0
}
