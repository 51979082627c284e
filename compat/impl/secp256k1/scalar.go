package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A ModNScalar is a number modulo the group order n. It is always less than n, so scalars can be
// compared with ==. The zero value is 0. Arithmetic methods set their receiver, which may also be
// an argument, and return it. Their running time does not depend on the values.
type ModNScalar scalar.Scalar

func (s *ModNScalar) scalar() *scalar.Scalar { return (*scalar.Scalar)(s) }

// String returns the scalar as 64 hexadecimal digits. It does not hide secrets.
func (s ModNScalar) String() string {
	b := s.Bytes()
	return digits(&b)
}

// Set sets s = val.
func (s *ModNScalar) Set(val *ModNScalar) *ModNScalar {
	*s = *val
	return s
}

// Zero sets s = 0.
func (s *ModNScalar) Zero() { s.scalar().Wipe() }

// SetInt sets s = ui.
func (s *ModNScalar) SetInt(ui uint32) *ModNScalar {
	s.scalar().SetUint64(uint64(ui))
	return s
}

// SetBytes sets s to the big-endian number b modulo n. It returns 1 if b is not below n, and 0
// otherwise.
func (s *ModNScalar) SetBytes(b *[32]byte) (overflow uint32) {
	secret.DoLeaf(func() { overflow = uint32(s.scalar().SetBytes(b).Not()) })
	return overflow
}

// SetByteSlice sets s to the big-endian number in the first 32 bytes, or in all bytes if there are
// fewer, modulo n. It reports whether the number is not below n. The running time depends on the
// length of the slice.
func (s *ModNScalar) SetByteSlice(bytes []byte) (overflow bool) {
	secret.DoLeaf(func() { overflow = s.setByteSlice(bytes) })
	return overflow
}

// setByteSlice does the work of SetByteSlice. It leaves secrets on the stack.
func (s *ModNScalar) setByteSlice(bytes []byte) (overflow bool) {
	var number [32]byte
	pad(&number, bytes)
	overflow = s.scalar().SetBytes(&number).Not().Bool()
	ct.Wipe(number[:])
	return overflow
}

// PutBytes writes s to b, big-endian.
func (s *ModNScalar) PutBytes(b *[32]byte) { secret.DoLeaf(func() { s.scalar().PutBytes(b) }) }

// PutBytesUnchecked writes s to the first 32 bytes of b, big-endian. It panics if b is shorter.
func (s *ModNScalar) PutBytesUnchecked(b []byte) { s.PutBytes((*[32]byte)(b)) }

// Bytes returns s as 32 bytes, big-endian.
func (s *ModNScalar) Bytes() (b [32]byte) {
	s.scalar().PutBytes(&b)
	return b
}

// IsZeroBit returns 1 if s is 0, and 0 otherwise.
func (s *ModNScalar) IsZeroBit() (zero uint32) {
	secret.DoLeaf(func() { zero = uint32(s.scalar().IsZero()) })
	return zero
}

// IsZero reports whether s is 0.
func (s *ModNScalar) IsZero() bool { return s.IsZeroBit() != 0 }

// IsOdd reports whether s is odd.
func (s *ModNScalar) IsOdd() bool { return s.scalar().IsOdd() != 0 }

// IsOverHalfOrder reports whether s is greater than n/2.
func (s *ModNScalar) IsOverHalfOrder() (high bool) {
	secret.DoLeaf(func() { high = s.scalar().IsHigh().Bool() })
	return high
}

// Equals reports whether s and val are equal.
func (s *ModNScalar) Equals(val *ModNScalar) (equal bool) {
	secret.DoLeaf(func() { equal = s.scalar().Equal(val.scalar()).Bool() })
	return equal
}

// Add sets s = s + val.
func (s *ModNScalar) Add(val *ModNScalar) *ModNScalar { return s.Add2(s, val) }

// Add2 sets s = val1 + val2.
func (s *ModNScalar) Add2(val1, val2 *ModNScalar) *ModNScalar {
	secret.DoLeaf(func() { s.scalar().Add(val1.scalar(), val2.scalar()) })
	return s
}

// Mul sets s = s·val.
func (s *ModNScalar) Mul(val *ModNScalar) *ModNScalar { return s.Mul2(s, val) }

// Mul2 sets s = val·val2.
func (s *ModNScalar) Mul2(val, val2 *ModNScalar) *ModNScalar {
	//ct:unrun-portable for CPUs with two carry chains, which the other build has
	if scalar.MulInRegisters() {
		s.scalar().Mul(val.scalar(), val2.scalar())
	} else {
		secret.Do(func() { s.scalar().Mul(val.scalar(), val2.scalar()) })
	}
	return s
}

// Square sets s = s².
func (s *ModNScalar) Square() *ModNScalar { return s.SquareVal(s) }

// SquareVal sets s = val².
func (s *ModNScalar) SquareVal(val *ModNScalar) *ModNScalar {
	//ct:unrun-portable for CPUs with two carry chains, which the other build has
	if scalar.MulInRegisters() {
		s.scalar().Square(val.scalar())
	} else {
		secret.Do(func() { s.scalar().Square(val.scalar()) })
	}
	return s
}

// Negate sets s = −s.
func (s *ModNScalar) Negate() *ModNScalar { return s.NegateVal(s) }

// NegateVal sets s = −val.
func (s *ModNScalar) NegateVal(val *ModNScalar) *ModNScalar {
	secret.DoLeaf(func() { s.scalar().Neg(val.scalar()) })
	return s
}

// InverseNonConst sets s = 1/s, or 0 if s is 0. Despite the name, the running time does not depend
// on s.
func (s *ModNScalar) InverseNonConst() *ModNScalar { return s.InverseValNonConst(s) }

// InverseValNonConst sets s = 1/val, or 0 if val is 0. Despite the name, the running time does not
// depend on val.
func (s *ModNScalar) InverseValNonConst(val *ModNScalar) *ModNScalar {
	secret.Do(func() { s.scalar().Invert(val.scalar()) })
	return s
}
