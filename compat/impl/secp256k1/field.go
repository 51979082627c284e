package secp256k1

import (
	"encoding/binary"
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A FieldVal is a number modulo the field prime p. The zero value is 0. Arithmetic methods set
// their receiver, which may also be an argument, and return it. Their running time does not depend
// on the values.
//
// A value is canonical after [FieldVal.Normalize], or if it was set from a number below p.
// Canonical values can be compared with ==.
type FieldVal field.Element

// FieldVal64 is the name of a field value of four 64-bit words on the development branch of the
// replaced module. It is the same type as FieldVal.
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
	return (*FieldVal)(f.element().SetUint64(uint64(ui)))
}

// SetBytes sets f to the big-endian number b. If b is below p, it returns 0. Otherwise it returns
// 1, and f is congruent to b modulo p, but canonical only after Normalize.
func (f *FieldVal) SetBytes(b *[32]byte) uint32 {
	return uint32(f.element().SetBytes(b).Not())
}

// SetByteSlice sets f to the big-endian number in the first 32 bytes, or in all bytes if there are
// fewer. It returns true if the number is not below p; then f must be normalized, as for SetBytes.
// The running time depends on the length of the slice.
func (f *FieldVal) SetByteSlice(bytes []byte) bool {
	var number [32]byte
	pad(&number, bytes)
	overflow := f.SetBytes(&number) != 0
	ct.Wipe(number[:])
	return overflow
}

// pad sets number to the first 32 bytes of b. A shorter b is padded with leading zeros.
func pad(number *[32]byte, b []byte) {
	b = b[:min(len(b), 32)]
	copy(number[32-len(b):], b)
}

// Normalize reduces f modulo p.
func (f *FieldVal) Normalize() *FieldVal { return (*FieldVal)(f.element().Normalize()) }

// PutBytes writes f to b, big-endian. f must be normalized.
func (f *FieldVal) PutBytes(b *[32]byte) {
	l0, l1, l2, l3 := f.element().Words()
	binary.BigEndian.PutUint64(b[0:], l3)
	binary.BigEndian.PutUint64(b[8:], l2)
	binary.BigEndian.PutUint64(b[16:], l1)
	binary.BigEndian.PutUint64(b[24:], l0)
}

// PutBytesUnchecked writes f to the first 32 bytes of b, as PutBytes does. It panics if b is
// shorter.
func (f *FieldVal) PutBytesUnchecked(b []byte) { f.PutBytes((*[32]byte)(b)) }

// Bytes returns f as 32 bytes, big-endian.
func (f *FieldVal) Bytes() *[32]byte {
	b := new([32]byte)
	f.PutBytes(b)
	return b
}

// hasWords returns 1 if the words of f are k0 to k3, the least significant first, and 0 otherwise.
func (f *FieldVal) hasWords(k0, k1, k2, k3 uint64) uint32 {
	l0, l1, l2, l3 := f.element().Words()
	return uint32(ct.IsZero64((l0 ^ k0) | (l1 ^ k1) | (l2 ^ k2) | (l3 ^ k3)))
}

// IsZeroBit returns 1 if f, which must be normalized, is 0, and 0 otherwise.
func (f *FieldVal) IsZeroBit() uint32 { return f.hasWords(0, 0, 0, 0) }

// IsZero reports whether f, which must be normalized, is 0.
func (f *FieldVal) IsZero() bool { return f.IsZeroBit() != 0 }

// IsOneBit returns 1 if f, which must be normalized, is 1, and 0 otherwise.
func (f *FieldVal) IsOneBit() uint32 { return f.hasWords(1, 0, 0, 0) }

// IsOne reports whether f, which must be normalized, is 1.
func (f *FieldVal) IsOne() bool { return f.IsOneBit() != 0 }

// IsOddBit returns 1 if f, which must be normalized, is odd, and 0 otherwise.
func (f *FieldVal) IsOddBit() uint32 {
	l0, _, _, _ := f.element().Words()
	return uint32(l0 & 1)
}

// IsOdd reports whether f, which must be normalized, is odd.
func (f *FieldVal) IsOdd() bool { return f.IsOddBit() != 0 }

// Equals reports whether f and val, which must be normalized, are equal.
func (f *FieldVal) Equals(val *FieldVal) bool { return f.hasWords(val.element().Words()) != 0 }

// NegateVal sets f = −val. The magnitude is ignored.
func (f *FieldVal) NegateVal(val *FieldVal, magnitude uint32) *FieldVal {
	return (*FieldVal)(f.element().Neg(val.element()))
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
	return (*FieldVal)(f.element().Add(val.element(), val2.element()))
}

// MulInt sets f = f·val.
func (f *FieldVal) MulInt(val uint8) *FieldVal {
	return (*FieldVal)(f.element().MulSmall(f.element(), uint64(val)))
}

// MulBy2 sets f = 2·f.
func (f *FieldVal) MulBy2() *FieldVal { return (*FieldVal)(f.element().Double(f.element())) }

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
	return (*FieldVal)(f.element().Mul(val.element(), val2.element()))
}

// Square sets f = f².
func (f *FieldVal) Square() *FieldVal { return f.SquareVal(f) }

// SquareVal sets f = val².
func (f *FieldVal) SquareVal(val *FieldVal) *FieldVal {
	return (*FieldVal)(f.element().Square(val.element()))
}

// SquareRootVal sets f to a square root of val and returns true, if val is a square. Otherwise it
// sets f to a square root of −val and returns false. It normalizes val, because callers may rely on
// that.
func (f *FieldVal) SquareRootVal(val *FieldVal) bool {
	square := f.element().Sqrt(val.element()).Bool()
	val.Normalize()
	return square
}

// Inverse sets f = 1/f, or 0 if f is 0.
func (f *FieldVal) Inverse() *FieldVal {
	//ct:secret f.IsZero()
	f.element().Invert(f.element())
	return f
}

// IsGtOrEqPrimeMinusOrder reports whether f, which must be normalized, is p − n or more, where n is
// the group order. If so, f + n is not below p, and so it is not a coordinate.
func (f *FieldVal) IsGtOrEqPrimeMinusOrder() bool {
	// Let C = 2²⁵⁶ − p. f + n is p or more exactly if f + n + C is 2²⁵⁶ or more.
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
