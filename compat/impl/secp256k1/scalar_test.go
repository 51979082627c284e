package secp256k1_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// modNScalar returns x modulo n as a ModNScalar. x must be less than 2²⁵⁶.
func modNScalar(x *big.Int) *secp256k1.ModNScalar {
	s := new(secp256k1.ModNScalar)
	s.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return s
}

// integer returns a scalar as a big.Int.
func integer(s *secp256k1.ModNScalar) *big.Int {
	b := s.Bytes()
	return new(big.Int).SetBytes(b[:])
}

// A scalarOp is an operation on one or two numbers. It writes its result to v, which may also be an
// operand, and returns v.
type scalarOp struct {
	name string
	got  func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar
	want func(v, a, b *big.Int) *big.Int
	// inPlace says that the operation reads its operand a from v.
	inPlace bool
}

var scalarOps = []scalarOp{
	{"Set", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Set(a) },
		func(v, a, b *big.Int) *big.Int { return v.Set(a) }, false},
	{"NegateVal", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.NegateVal(a) },
		func(v, a, b *big.Int) *big.Int { return v.Neg(a) }, false},
	{"Add2", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Add2(a, b) },
		func(v, a, b *big.Int) *big.Int { return v.Add(a, b) }, false},
	{"Mul2", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Mul2(a, b) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, b) }, false},
	{"SquareVal", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.SquareVal(a) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, a) }, false},
	{"InverseValNonConst", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar {
		return v.InverseValNonConst(a)
	}, func(v, a, b *big.Int) *big.Int { return inverse(v, a, n) }, false},
	{"Negate", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Negate() },
		func(v, a, b *big.Int) *big.Int { return v.Neg(a) }, true},
	{"Add", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Add(b) },
		func(v, a, b *big.Int) *big.Int { return v.Add(a, b) }, true},
	{"Mul", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Mul(b) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, b) }, true},
	{"Square", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar { return v.Square() },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, a) }, true},
	{"InverseNonConst", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar {
		return v.InverseNonConst()
	}, func(v, a, b *big.Int) *big.Int { return inverse(v, a, n) }, true},
	{"SetInt", func(v, a, b *secp256k1.ModNScalar) *secp256k1.ModNScalar {
		return v.SetInt(1<<32 - 1)
	}, func(v, a, b *big.Int) *big.Int { return v.SetInt64(1<<32 - 1) }, true},
}

func TestScalarArithmetic(t *testing.T) {
	pairs(func(a, b *big.Int) {
		for _, op := range scalarOps {
			check := func(
				how string, v *secp256k1.ModNScalar, got *secp256k1.ModNScalar, a, b *big.Int,
			) {
				t.Helper()
				want := op.want(new(big.Int), a, b)
				want.Mod(want, n)
				if got != v {
					t.Fatalf("%s does not return its receiver", op.name)
				}
				if integer(v).Cmp(want) != 0 || *v != *modNScalar(want) {
					t.Fatalf("%s of %x and %x, %s = %v, want %x", op.name, a, b, how, v, want)
				}
			}
			x, y := modNScalar(a), modNScalar(b)
			v := modNScalar(big.NewInt(77))
			if op.inPlace {
				v = modNScalar(a)
			}
			check("apart", v, op.got(v, x, y), a, b)
			if *x != *modNScalar(a) || *y != *modNScalar(b) {
				t.Fatalf("%s of %x and %x changes them", op.name, a, b)
			}
			check("into the first", x, op.got(x, x, y), a, b)
			x = modNScalar(a)
			check("of twice the same, into it", x, op.got(x, x, x), a, a)
			if !op.inPlace {
				x = modNScalar(a)
				check("into the second", y, op.got(y, x, y), a, b)
				check("of twice the same", y, op.got(y, x, x), a, a)
			}
		}
	})
}

func TestScalarCompare(t *testing.T) {
	half := new(big.Int).Rsh(n, 1)
	pairs(func(a, b *big.Int) {
		s, u := modNScalar(a), modNScalar(b)
		x, y := new(big.Int).Mod(a, n), new(big.Int).Mod(b, n)
		for _, test := range []struct {
			name      string
			got, want bool
		}{
			{"IsZero", s.IsZero(), x.Sign() == 0},
			{"IsZeroBit", s.IsZeroBit() == 1, x.Sign() == 0},
			{"IsOdd", s.IsOdd(), x.Bit(0) == 1},
			{"IsOverHalfOrder", s.IsOverHalfOrder(), x.Cmp(half) > 0},
			{"Equals", s.Equals(u), x.Cmp(y) == 0},
			{"Equals of its residue", s.Equals(modNScalar(x)), true},
			{"==", *s == *u, x.Cmp(y) == 0},
		} {
			if test.got != test.want {
				t.Errorf("%s of %x and %x is %v", test.name, a, b, test.got)
			}
		}
		if s.IsZeroBit() > 1 {
			t.Errorf("a bit of %x is more than 1", a)
		}
	})
}

func TestScalarBytes(t *testing.T) {
	pairs(func(a, _ *big.Int) {
		want := [32]byte(new(big.Int).Mod(a, n).FillBytes(make([]byte, 32)))
		s := new(secp256k1.ModNScalar)
		if over := s.SetBytes((*[32]byte)(a.FillBytes(make([]byte, 32)))); over != overflows(a, n) {
			t.Errorf("SetBytes(%x) = %d", a, over)
		}
		if s.Bytes() != want {
			t.Errorf("Bytes of %x = %x", a, s.Bytes())
		}
		var b [32]byte
		if s.PutBytes(&b); b != want {
			t.Errorf("PutBytes of %x = %x", a, b)
		}
		const text = "three and more bytes, of which the first 32 are overwritten"
		long := []byte(text)
		if s.PutBytesUnchecked(long[3:]); string(long) != text[:3]+string(want[:])+text[35:] {
			t.Errorf("PutBytesUnchecked of %x makes %x", a, long)
		}
		if s.String() != fmt.Sprintf("%x", want) || fmt.Sprint(*s) != s.String() {
			t.Errorf("%x is printed as %v", a, s)
		}
		if s.Zero(); *s != (secp256k1.ModNScalar{}) {
			t.Errorf("Zero leaves %v", s)
		}
	})
}

func TestScalarByteSlice(t *testing.T) {
	slices(func(b []byte, x *big.Int) {
		before := string(b)
		s := modNScalar(big.NewInt(77))
		over := s.SetByteSlice(b)
		if over != (overflows(x, n) == 1) || integer(s).Cmp(new(big.Int).Mod(x, n)) != 0 {
			t.Errorf("SetByteSlice(%x): %v, %v", b, s, over)
		}
		if string(b) != before {
			t.Errorf("SetByteSlice changes %x", before)
		}
	})
}
