package secp256k1_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	p = reference.P()
	n = reference.N()
)

// fieldVal returns x < 2²⁵⁶ as a FieldVal, which is not canonical if x is p or more.
func fieldVal(x *big.Int) *secp256k1.FieldVal {
	f := new(secp256k1.FieldVal)
	f.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
	return f
}

// residue returns the number modulo p that f represents.
func residue(f *secp256k1.FieldVal) *big.Int {
	c := *f
	return new(big.Int).SetBytes(c.Normalize().Bytes()[:])
}

// A fieldOp is an operation on one or two numbers. It writes its result to v, which may also be an
// operand, and returns v.
type fieldOp struct {
	name string
	got  func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal
	want func(v, a, b *big.Int) *big.Int
	// inPlace says that the operation reads its operand a from v.
	inPlace bool
}

var fieldOps = []fieldOp{
	{"Set", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Set(a) },
		func(v, a, b *big.Int) *big.Int { return v.Set(a) }, false},
	{"NegateVal", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.NegateVal(a, 1) },
		func(v, a, b *big.Int) *big.Int { return v.Neg(a) }, false},
	{"Add2", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Add2(a, b) },
		func(v, a, b *big.Int) *big.Int { return v.Add(a, b) }, false},
	{"Mul2", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Mul2(a, b) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, b) }, false},
	{"SquareVal", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.SquareVal(a) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, a) }, false},
	{"Normalize", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Normalize() },
		func(v, a, b *big.Int) *big.Int { return v.Set(a) }, true},
	{"Negate", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Negate(7) },
		func(v, a, b *big.Int) *big.Int { return v.Neg(a) }, true},
	{"Add", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Add(b) },
		func(v, a, b *big.Int) *big.Int { return v.Add(a, b) }, true},
	{"Mul", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Mul(b) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, b) }, true},
	{"Square", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Square() },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, a) }, true},
	{"Inverse", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.Inverse() },
		func(v, a, b *big.Int) *big.Int { return inverse(v, a, p) }, true},
	{"MulBy2", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.MulBy2() },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, big.NewInt(2)) }, true},
	{"MulBy3", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.MulBy3() },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, big.NewInt(3)) }, true},
	{"MulBy4", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.MulBy4() },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, big.NewInt(4)) }, true},
	{"MulBy8", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.MulBy8() },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, big.NewInt(8)) }, true},
	{"MulInt(255)", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.MulInt(255) },
		func(v, a, b *big.Int) *big.Int { return v.Mul(a, big.NewInt(255)) }, true},
	{"MulInt(0)", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.MulInt(0) },
		func(v, a, b *big.Int) *big.Int { return v.SetInt64(0) }, true},
	{"AddInt(65535)", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.AddInt(65535) },
		func(v, a, b *big.Int) *big.Int { return v.Add(a, big.NewInt(65535)) }, true},
	{"AddInt(1)", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.AddInt(1) },
		func(v, a, b *big.Int) *big.Int { return v.Add(a, big.NewInt(1)) }, true},
	{"SetInt(65535)", func(v, a, b *secp256k1.FieldVal) *secp256k1.FieldVal { return v.SetInt(65535) },
		func(v, a, b *big.Int) *big.Int { return v.SetInt64(65535) }, true},
}

// inverse sets v = 1/a modulo m, or 0 if a is 0.
func inverse(v, a, m *big.Int) *big.Int {
	if v.ModInverse(a, m) == nil {
		return new(big.Int)
	}
	return v
}

// pairs calls f with pairs of numbers below 2²⁵⁶: each edge case together with several other
// numbers.
func pairs(f func(a, b *big.Int)) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, a := range reference.EdgeInts() {
		for range 3 {
			f(a, reference.RandInt(r))
		}
	}
	for range 300 {
		f(reference.RandInt(r), reference.RandInt(r))
	}
}

func TestFieldArithmetic(t *testing.T) {
	pairs(func(a, b *big.Int) {
		for _, op := range fieldOps {
			check := func(how string, v *secp256k1.FieldVal, got *secp256k1.FieldVal, a, b *big.Int) {
				t.Helper()
				want := op.want(new(big.Int), a, b)
				want.Mod(want, p)
				if got != v {
					t.Fatalf("%s does not return its receiver", op.name)
				}
				if residue(v).Cmp(want) != 0 {
					t.Fatalf("%s of %x and %x, %s = %v, want %x", op.name, a, b, how, v, want)
				}
				if v.Normalize(); *v != *fieldVal(want) {
					t.Fatalf("%s of %x and %x, %s, is not canonical after Normalize", op.name, a, b, how)
				}
			}
			x, y := fieldVal(a), fieldVal(b)
			v := fieldVal(big.NewInt(77))
			if op.inPlace {
				v = fieldVal(a)
			}
			check("apart", v, op.got(v, x, y), a, b)
			if *x != *fieldVal(a) || *y != *fieldVal(b) {
				t.Fatalf("%s of %x and %x changes them", op.name, a, b)
			}
			check("into the first", x, op.got(x, x, y), a, b)
			x = fieldVal(a)
			check("of twice the same, into it", x, op.got(x, x, x), a, a)
			if !op.inPlace {
				x = fieldVal(a)
				check("into the second", y, op.got(y, x, y), a, b)
				check("of twice the same", y, op.got(y, x, x), a, a)
			}
		}
	})
}

// TestFieldCompare checks that comparisons do not reduce values that are not normalized.
func TestFieldCompare(t *testing.T) {
	limit := new(big.Int).Sub(p, n)
	one := big.NewInt(1)
	pairs(func(a, b *big.Int) {
		f, g := fieldVal(a), fieldVal(b)
		x := new(big.Int).Mod(a, p)
		for _, test := range []struct {
			name      string
			got, want bool
		}{
			{"IsZero", f.IsZero(), a.Sign() == 0},
			{"IsZeroBit", f.IsZeroBit() == 1, a.Sign() == 0},
			{"IsOne", f.IsOne(), a.Cmp(one) == 0},
			{"IsOneBit", f.IsOneBit() == 1, a.Cmp(one) == 0},
			{"IsOdd", f.IsOdd(), a.Bit(0) == 1},
			{"IsOddBit", f.IsOddBit() == 1, a.Bit(0) == 1},
			{"IsGtOrEqPrimeMinusOrder", f.IsGtOrEqPrimeMinusOrder(), a.Cmp(limit) >= 0},
			{"Equals", f.Equals(g), a.Cmp(b) == 0},
			{"Equals of its residue", f.Equals(fieldVal(x)), a.Cmp(x) == 0},
			{"Equals of itself", f.Equals(f), true},
		} {
			if test.got != test.want {
				t.Errorf("%s of %x and %x is %v", test.name, a, b, test.got)
			}
		}
		if f.IsZeroBit()|f.IsOneBit()|f.IsOddBit() > 1 {
			t.Errorf("a bit of %x is more than 1", a)
		}
		if *f != *fieldVal(a) || *g != *fieldVal(b) {
			t.Errorf("%x or %x was changed", a, b)
		}
	})
}

func TestFieldRoots(t *testing.T) {
	squares := 0
	pairs(func(a, _ *big.Int) {
		f, g := fieldVal(a), new(secp256k1.FieldVal)
		x := new(big.Int).Mod(a, p)
		square := big.Jacobi(x, p) >= 0
		if got := g.SquareRootVal(f); got != square {
			t.Errorf("SquareRootVal(%x) = %v", a, got)
		}
		root := residue(g)
		root.Mul(root, root)
		if !square {
			root.Neg(root)
		} else {
			squares++
		}
		if root.Mod(root, p).Cmp(x) != 0 {
			t.Errorf("SquareRootVal(%x): the square is ±%x", a, root)
		}
		if got := f.SquareRootVal(f); got != square || !f.Equals(g.Normalize()) {
			t.Errorf("SquareRootVal of %x in place: %v, %v", a, f, got)
		}
	})
	if squares < 50 {
		t.Errorf("only %d squares", squares)
	}
}

// TestFieldBytes checks that values that are not normalized are encoded without reduction, and
// printed reduced.
func TestFieldBytes(t *testing.T) {
	pairs(func(a, _ *big.Int) {
		want := [32]byte(a.FillBytes(make([]byte, 32)))
		f := new(secp256k1.FieldVal)
		if over := f.SetBytes((*[32]byte)(a.FillBytes(make([]byte, 32)))); over != overflows(a, p) {
			t.Errorf("SetBytes(%x) = %d", a, over)
		}
		if *f.Bytes() != want {
			t.Errorf("Bytes of %x = %x", a, *f.Bytes())
		}
		var b [32]byte
		if f.PutBytes(&b); b != want {
			t.Errorf("PutBytes of %x = %x", a, b)
		}
		const text = "three and more bytes, of which the first 32 are overwritten"
		long := []byte(text)
		if f.PutBytesUnchecked(long[3:]); string(long) != text[:3]+string(want[:])+text[35:] {
			t.Errorf("PutBytesUnchecked of %x makes %x", a, long)
		}
		if f.String() != fmt.Sprintf("%064x", new(big.Int).Mod(a, p)) || fmt.Sprint(f) != f.String() {
			t.Errorf("%x is printed as %v", a, f)
		}
		if *f != *fieldVal(a) {
			t.Errorf("encoding changes %x", a)
		}
		if f.Zero(); *f != (secp256k1.FieldVal{}) {
			t.Errorf("Zero leaves %v", f)
		}
	})
}

// overflows returns 1 if x is m or more, otherwise 0.
func overflows(x, m *big.Int) uint32 {
	if x.Cmp(m) >= 0 {
		return 1
	}
	return 0
}

// slices calls f with slices of all lengths from 0 to 40, each together with the number in its
// first 32 bytes.
func slices(f func(b []byte, x *big.Int)) {
	r := rand.New(rand.NewPCG(3, 4))
	for size := range 41 {
		for _, fill := range []string{"zeros", "ones", "a modulus", "random"} {
			b := make([]byte, size)
			for i := range b {
				switch fill {
				case "ones":
					b[i] = 0xff
				case "random":
					b[i] = byte(r.Uint32())
				}
			}
			if fill == "a modulus" && size >= 32 {
				for i, m := range []*big.Int{p, n}[r.IntN(2)].Bytes() {
					b[i] = m
				}
			}
			f(b, new(big.Int).SetBytes(b[:min(size, 32)]))
		}
	}
}

func TestFieldByteSlice(t *testing.T) {
	slices(func(b []byte, x *big.Int) {
		before := string(b)
		f := fieldVal(big.NewInt(77))
		over := f.SetByteSlice(b)
		if over != (overflows(x, p) == 1) || residue(f).Cmp(new(big.Int).Mod(x, p)) != 0 {
			t.Errorf("SetByteSlice(%x): %v, %v", b, f, over)
		}
		if string(b) != before {
			t.Errorf("SetByteSlice changes %x", before)
		}
	})
}

// TestPutBytesUncheckedPanics checks that a slice that is too short causes a panic, as in the
// replaced module.
func TestPutBytesUncheckedPanics(t *testing.T) {
	for _, put := range []func([]byte){
		new(secp256k1.FieldVal).PutBytesUnchecked, new(secp256k1.ModNScalar).PutBytesUnchecked,
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("31 bytes are enough")
				}
			}()
			put(make([]byte, 31))
		}()
	}
}
