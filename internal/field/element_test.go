package field

import (
	"encoding/binary"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
)

var (
	bigP, _ = new(big.Int).SetString(
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", 16)
	bigR       = new(big.Int).Lsh(big.NewInt(1), 256)
	bigBeta, _ = new(big.Int).SetString(
		"7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee", 16)
)

// fromBig returns an element whose limbs represent x itself, even if x is p or more.
func fromBig(x *big.Int) Element {
	var v Element
	l := limbs(x)
	v.SetLimbs(l[0], l[1], l[2], l[3])
	return v
}

func fromLimbs(l0, l1, l2, l3 uint64) (v Element) {
	v.SetLimbs(l0, l1, l2, l3)
	return v
}

func limbs(x *big.Int) (l [4]uint64) {
	mask := new(big.Int).SetUint64(1<<64 - 1)
	for i := range l {
		l[i] = new(big.Int).And(new(big.Int).Rsh(x, uint(64*i)), mask).Uint64()
	}
	return l
}

// toBig returns the residue of v in [0, p). The function raw returns the number in the limbs of v
// without reducing it.
func toBig(v *Element) *big.Int { return new(big.Int).Mod(raw(v), bigP) }

// edges returns numbers close to values where a carry, a borrow or a reduction begins or ends.
func edges() []*big.Int {
	one := big.NewInt(1)
	out := []*big.Int{}
	add := func(x *big.Int) {
		if x.Sign() >= 0 && x.Cmp(bigR) < 0 {
			out = append(out, x)
		}
	}
	around := func(x *big.Int) {
		for d := int64(-3); d <= 3; d++ {
			add(new(big.Int).Add(x, big.NewInt(d)))
		}
	}
	bigC := big.NewInt(c)
	around(new(big.Int))
	around(bigP)
	around(bigR)
	around(bigC)
	around(new(big.Int).Add(bigP, big.NewInt(1<<32))) // its square carries in the third fold
	around(new(big.Int).Sub(bigP, bigC))
	around(new(big.Int).Rsh(bigP, 1))
	around(bigBeta)
	// For numbers near multiples of 2^64, 2^128 and 2^192, a folded carry passes through limbs that
	// are all ones or all zeros. The multiples are counted up from 0, and down from 2^256, p and
	// 2p.
	twoP := new(big.Int).Lsh(bigP, 1)
	for _, s := range []uint{64, 128, 192} {
		for _, m := range []int64{3, 1 << 33} {
			step := new(big.Int).Lsh(big.NewInt(m), s)
			for d := int64(-1); d <= 1; d++ {
				up := new(big.Int).Add(step, big.NewInt(d))
				add(up)
				add(new(big.Int).Add(up, new(big.Int).Lsh(one, 255)))
				for _, x := range []*big.Int{bigR, bigP, new(big.Int).Sub(twoP, bigR)} {
					add(new(big.Int).Sub(x, up))
				}
			}
		}
	}
	for _, s := range []uint{32, 63, 64, 65, 127, 128, 129, 191, 192, 193, 223, 224, 254, 255} {
		add(new(big.Int).Lsh(one, s))
		add(new(big.Int).Sub(new(big.Int).Lsh(one, s), one))
		add(new(big.Int).Sub(bigR, new(big.Int).Lsh(one, s)))
	}
	// The multiplication 3·third has a carry out of every limb.
	third := new(big.Int).Div(new(big.Int).Sub(bigR, one), big.NewInt(3))
	add(third.Add(third, new(big.Int).SetUint64(0xaaaaaaaaaaaaaaaa)))
	for _, pat := range []uint64{
		0xffffffff00000000, 0x00000000ffffffff, 0xaaaaaaaaaaaaaaaa,
		0x8000000000000000, 0xffffffffffffffff,
	} {
		x := new(big.Int)
		y := new(big.Int)
		for i := 0; i < 4; i++ {
			x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(pat))
			y.Lsh(y, 64)
			if i%2 == 0 {
				y.Or(y, new(big.Int).SetUint64(pat))
			}
		}
		add(x)
		add(y)
	}
	return out
}

// values returns the edges and n random numbers. A third of the random numbers have limbs that are
// all zeros or all ones.
func values(n int) []*big.Int {
	out := edges()
	r := rand.New(rand.NewSource(1))
	for i := 0; i < n; i++ {
		x := new(big.Int)
		for j := 0; j < 4; j++ {
			l := r.Uint64()
			if i%3 == 0 {
				l = []uint64{0, 1<<64 - 1, l}[r.Intn(3)]
			}
			x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(l))
		}
		out = append(out, x)
	}
	return out
}

func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, bigP) }

// checkUnary compares op(x) with want, once with a separate receiver, and once with the argument as
// receiver.
func checkUnary(t *testing.T, name string, x, want *big.Int, op func(v, a *Element) *Element) {
	t.Helper()
	a := fromBig(x)
	before := a
	v := fromLimbs(1, 2, 3, 4)
	if r := op(&v, &a); r != &v {
		t.Fatalf("%s: does not return its receiver", name)
	}
	if a != before {
		t.Fatalf("%s(%x) changed its argument", name, x)
	}
	if got := toBig(&v); got.Cmp(want) != 0 {
		t.Fatalf("%s(%x) = %x, want %x", name, x, got, want)
	}
	op(&a, &a)
	if got := toBig(&a); got.Cmp(want) != 0 {
		t.Fatalf("%s(%x) in place = %x, want %x", name, x, got, want)
	}
}

func checkBinary(
	t *testing.T, name string, x, y, want *big.Int, op func(v, a, b *Element) *Element,
) {
	t.Helper()
	a, b := fromBig(x), fromBig(y)
	v := fromLimbs(1, 2, 3, 4)
	op(&v, &a, &b)
	if got := toBig(&v); got.Cmp(want) != 0 {
		t.Fatalf("%s(%x, %x) = %x, want %x", name, x, y, got, want)
	}
	v = a
	op(&v, &v, &b)
	if got := toBig(&v); got.Cmp(want) != 0 {
		t.Fatalf("%s(%x, %x) over its first argument = %x, want %x", name, x, y, got, want)
	}
	v = b
	op(&v, &a, &v)
	if got := toBig(&v); got.Cmp(want) != 0 {
		t.Fatalf("%s(%x, %x) over its second argument = %x, want %x", name, x, y, got, want)
	}
}

func TestBinary(t *testing.T) {
	random := 120
	if !cputest.Deep() {
		random = 12
	}
	vs := values(random)
	for _, x := range vs {
		for _, y := range vs {
			checkBinary(t, "Add", x, y, mod(new(big.Int).Add(x, y)), (*Element).Add)
			checkBinary(t, "Sub", x, y, mod(new(big.Int).Sub(x, y)), (*Element).Sub)
			twice := new(big.Int).Lsh(y, 1)
			checkBinary(t, "SubTwice", x, y, mod(twice.Sub(x, twice)), (*Element).SubTwice)
			checkBinary(t, "Mul", x, y, mod(new(big.Int).Mul(x, y)), (*Element).Mul)
			a, b := fromBig(x), fromBig(y)
			if got, want := a.Equal(&b).Bool(), mod(x).Cmp(mod(y)) == 0; got != want {
				t.Fatalf("Equal(%x, %x) = %v", x, y, got)
			}
			for choice := range ct.Choice(2) {
				want := y
				if choice == 1 {
					want = x
				}
				checkBinary(t, "Select", x, y, mod(want), func(v, a, b *Element) *Element {
					return v.Select(choice, a, b)
				})
			}
		}
	}
}

func TestUnary(t *testing.T) {
	two := big.NewInt(2)
	half := new(big.Int).ModInverse(two, bigP)
	for _, x := range values(2000) {
		checkUnary(t, "Square", x, mod(new(big.Int).Mul(x, x)), (*Element).Square)
		checkUnary(t, "Double", x, mod(new(big.Int).Lsh(x, 1)), (*Element).Double)
		checkUnary(t, "Neg", x, mod(new(big.Int).Neg(x)), (*Element).Neg)
		checkUnary(t, "Half", x, mod(new(big.Int).Mul(x, half)), (*Element).Half)
		three := new(big.Int).Mul(x, big.NewInt(3))
		checkUnary(t, "ThreeHalves", x, mod(three.Mul(three, half)), (*Element).ThreeHalves)
		checkUnary(t, "MulBeta", x, mod(new(big.Int).Mul(x, bigBeta)), (*Element).MulBeta)
		checkUnary(t, "Set", x, mod(x), (*Element).Set)
		for choice := range ct.Choice(2) {
			want := mod(x)
			if choice == 1 {
				want = mod(new(big.Int).Neg(x))
			}
			checkUnary(t, "CondNeg", x, want, func(v, a *Element) *Element { return v.CondNeg(a, choice) })
		}
		for _, k := range []uint64{0, 1, 2, 3, 4, 8, 21, 1<<31 - 1} {
			want := mod(new(big.Int).Mul(x, new(big.Int).SetUint64(k)))
			checkUnary(t, "MulSmall", x, want, func(v, a *Element) *Element { return v.MulSmall(a, k) })
		}
		for _, n := range []int{1, 2, 3, 44} {
			e := new(big.Int).Lsh(big.NewInt(1), uint(n))
			want := new(big.Int).Exp(mod(x), e, bigP)
			checkUnary(t, "SquareN", x, want, func(v, a *Element) *Element { return v.SquareN(a, n) })
		}

		a := fromBig(x)
		if got, want := a.IsZero().Bool(), mod(x).Sign() == 0; got != want {
			t.Fatalf("IsZero(%x) = %v", x, got)
		}
		if got, want := a.IsOdd().Bool(), mod(x).Bit(0) == 1; got != want {
			t.Fatalf("IsOdd(%x) = %v", x, got)
		}
		if got, want := a.Limbs(), limbs(mod(x)); got != want {
			t.Fatalf("Limbs(%x) = %x, want %x", x, got, want)
		}
		var b [32]byte
		a.PutBytes(&b)
		if new(big.Int).SetBytes(b[:]).Cmp(mod(x)) != 0 {
			t.Fatalf("PutBytes(%x) = %x", x, b)
		}
		a.PutWords(&b)
		words := new(big.Int)
		w0, w1, w2, w3 := a.Words()
		for i, w := range []uint64{w3, w2, w1, w0} {
			words.Lsh(words, 64).Or(words, new(big.Int).SetUint64(w))
			if got := binary.LittleEndian.Uint64(b[24-8*i:]); got != w {
				t.Fatalf("word %d of %x: %x and %x", 3-i, x, got, w)
			}
		}
		if mod(words).Cmp(mod(x)) != 0 {
			t.Fatalf("Words(%x) = %x", x, words)
		}
		x.FillBytes(b[:])
		var v Element
		l := limbs(x)
		w0, w1, w2, w3 = v.SetLimbs(l[0], l[1], l[2], l[3]).Words()
		if w := [4]uint64{w0, w1, w2, w3}; w != l {
			t.Fatalf("Words of SetLimbs(%x) = %x", l, w)
		}
		if got, want := v.SetBytes(&b).Bool(), x.Cmp(bigP) < 0; got != want {
			t.Fatalf("SetBytes(%x) canonical: %v", x, got)
		}
		if toBig(&v).Cmp(mod(x)) != 0 {
			t.Fatalf("SetBytes(%x) = %x", x, toBig(&v))
		}
		v.Normalize()
		if raw(&v).Cmp(mod(x)) != 0 {
			t.Fatalf("Normalize(%x) = %x", x, raw(&v))
		}
	}
}

// TestThirdFold checks that products are right if they carry out of the second fold, that is, the
// second time that the part above 2^256 is multiplied by c and added to the rest. Without a third
// fold, each result would be off by c.
func TestThirdFold(t *testing.T) {
	found := 0
	// A fold multiplies the part of a number above 2^256 by c and adds it to the rest. The first
	// fold of a product leaves a number r below 2^256 and the part r4 < 2^34 above it. The second
	// fold makes r + c·r4 of them. This sum reaches 2^256 if the product is congruent to some j in
	// [c, c·r4), because r is then j − c·r4 + p. So the test chooses a large factor a, and j/a as
	// the factor b.
	for d := int64(0); d < 4; d++ {
		a := new(big.Int).Sub(bigR, big.NewInt(1+d))
		for j := int64(c - 20); j < c+500; j++ {
			inv := new(big.Int).ModInverse(a, bigP)
			b := mod(new(big.Int).Mul(inv, big.NewInt(j)))
			for _, y := range []*big.Int{b, new(big.Int).Add(b, bigP)} {
				if y.Cmp(bigR) >= 0 {
					continue
				}
				if foldsThrice(a, y) {
					found++
				}
				checkBinary(t, "Mul", a, y, mod(new(big.Int).Mul(a, y)), (*Element).Mul)
			}
			s := new(big.Int).ModSqrt(big.NewInt(j), bigP)
			if s == nil {
				continue
			}
			for _, y := range []*big.Int{s, new(big.Int).Sub(bigP, s)} {
				if foldsThrice(y, y) {
					found++
				}
				checkUnary(t, "Square", y, mod(new(big.Int).Mul(y, y)), (*Element).Square)
				checkBinary(t, "Mul", y, y, mod(new(big.Int).Mul(y, y)), (*Element).Mul)
			}
		}
	}
	if found == 0 {
		t.Fatal("no input reached the third fold: this test tests nothing")
	}
	t.Logf("%d products reached the third fold", found)
}

func foldsThrice(a, b *big.Int) bool {
	fold := func(x *big.Int) *big.Int {
		h := new(big.Int).Rsh(x, 256)
		l := new(big.Int).Sub(x, new(big.Int).Lsh(h, 256))
		return l.Add(l, h.Mul(h, big.NewInt(c)))
	}
	x := fold(fold(new(big.Int).Mul(a, b)))
	return x.Cmp(bigR) >= 0
}

// TestSqrtRatio checks that the root squared is u/w if this is a square, and −u/w otherwise.
func TestSqrtRatio(t *testing.T) {
	squares, others := 0, 0
	all := values(300)
	for i, x := range all {
		y := all[(7*i+3)%len(all)]
		u, w := fromBig(x), fromBig(y)
		if w.IsZero().Bool() {
			continue
		}
		ratio := new(big.Int).ModInverse(mod(y), bigP)
		ratio.Mul(ratio, x).Mod(ratio, bigP)
		var v, square Element
		ok := v.SqrtRatio(&u, &w).Bool()
		if ok != (big.Jacobi(ratio, bigP) >= 0) {
			t.Fatalf("SqrtRatio(%x, %x): square = %v", x, y, ok)
		}
		if ok {
			squares++
		} else {
			others++
			ratio.Sub(bigP, ratio)
		}
		want := fromBig(ratio)
		if square.Square(&v).Equal(&want) != 1 {
			t.Fatalf("SqrtRatio(%x, %x) is no root", x, y)
		}
		a, b := u, w
		if a.SqrtRatio(&a, &w); a != v {
			t.Fatalf("SqrtRatio(%x, %x) in place of u differs", x, y)
		}
		if b.SqrtRatio(&u, &b); b != v {
			t.Fatalf("SqrtRatio(%x, %x) in place of w differs", x, y)
		}
	}
	if squares < 50 || others < 50 {
		t.Fatalf("%d squares and %d others", squares, others)
	}
}

// TestSetUniformBytes compares the reduction of numbers of 48 bytes with math/big.
func TestSetUniformBytes(t *testing.T) {
	low := values(100)
	for i, x := range low {
		high := new(big.Int).Rsh(low[(5*i+1)%len(low)], 128)
		n := high.Lsh(high, 256).Add(high, x)
		var b [48]byte
		var v Element
		want := fromBig(mod(n))
		if v.SetUniformBytes((*[48]byte)(n.FillBytes(b[:]))).Equal(&want) != 1 {
			t.Fatalf("%x gives %x", n, v.Limbs())
		}
	}
}

func TestSqrt(t *testing.T) {
	squares, others := 0, 0
	for _, x := range values(300) {
		a := fromBig(x)
		var v Element
		ok := v.Sqrt(&a).Bool()
		if w := new(Element); w.SqrtVartime(&a).Bool() != ok || w.Equal(&v) == 0 {
			t.Fatalf("SqrtVartime(%x) = %x, want %x", x, w.Limbs(), v.Limbs())
		}
		want := new(big.Int).ModSqrt(mod(x), bigP)
		if a.IsSquareVartime() != ok {
			t.Fatalf("IsSquareVartime(%x) = %v", x, !ok)
		}
		if ok != (want != nil) {
			t.Fatalf("Sqrt(%x): square = %v", x, ok)
		}
		if ok {
			squares++
			var s Element
			if s.Square(&v).Equal(&a) != 1 {
				t.Fatalf("Sqrt(%x) is no root", x)
			}
			var root Element
			if root.Sqrt(&v) != 1 {
				t.Fatalf("Sqrt(%x) is not itself a square", x)
			}
		} else {
			others++
		}
		if a.Sqrt(&a).Bool() != ok || a != v {
			t.Fatalf("Sqrt(%x) in place differs", x)
		}
	}
	if squares < 50 || others < 50 {
		t.Fatalf("%d squares and %d others", squares, others)
	}
}

func TestInvert(t *testing.T) {
	for _, x := range values(300) {
		want := new(big.Int)
		if mod(x).Sign() != 0 {
			want.ModInverse(mod(x), bigP)
		}
		checkUnary(t, "Invert", x, want, (*Element).Invert)
		checkUnary(t, "InvertVartime", x, want, (*Element).InvertVartime)
	}
}

func TestBatchInvertVartime(t *testing.T) {
	vs := values(50)
	for _, n := range []int{0, 1, 2, 3, 31, len(vs)} {
		v := make([]Element, n)
		for i := range v {
			v[i] = fromBig(vs[i])
		}
		BatchInvertVartime(v, make([]Element, n+1))
		for i := range v {
			want := new(big.Int)
			if mod(vs[i]).Sign() != 0 {
				want.ModInverse(mod(vs[i]), bigP)
			}
			if toBig(&v[i]).Cmp(want) != 0 {
				t.Fatalf("n = %d: inverse %d of %x is %x", n, i, vs[i], toBig(&v[i]))
			}
		}
	}
}

func TestBetaIsACubeRootOfOne(t *testing.T) {
	var b, v Element
	b.MulBeta(b.One())
	v.Mul(v.Square(&b), &b)
	if toBig(&v).Cmp(big.NewInt(1)) != 0 || toBig(&b).Cmp(big.NewInt(1)) == 0 {
		t.Fatal("β³ ≠ 1 or β = 1")
	}
}

func TestWipe(t *testing.T) {
	v := fromLimbs(1, 2, 3, 4)
	v.Wipe()
	if v != (Element{}) {
		t.Fatal("not wiped")
	}
}

func FuzzBytes(f *testing.F) {
	f.Add(make([]byte, 32))
	f.Add(bigP.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		var b, out [32]byte
		copy(b[:], in)
		x := new(big.Int).SetBytes(b[:])
		var v Element
		if v.SetBytes(&b).Bool() != (x.Cmp(bigP) < 0) {
			t.Fatal("canonical?")
		}
		v.PutBytes(&out)
		if new(big.Int).SetBytes(out[:]).Cmp(mod(x)) != 0 {
			t.Fatalf("%x became %x", b, out)
		}
	})
}

var (
	benchX = fromLimbs(
		0x123456789abcdef1, 0xfedcba9876543210, 0x1111111111111111, 0xf0f0f0f0f0f0f0f0,
	)
	benchY = fromLimbs(
		0x923456789abcdef1, 0xaedcba9876543210, 0x5111111111111111, 0xa0f0f0f0f0f0f0f0,
	)
)

// Each operation has two benchmarks: one of latency, where each operation waits for the previous
// one, and one of throughput, with four independent operations at a time.

func benchLatency(b *testing.B, op func(v *Element)) {
	v := benchX
	for range b.N {
		op(&v)
	}
}

func BenchmarkMul(b *testing.B) {
	benchLatency(b, func(v *Element) { v.Mul(v, &benchY) })
}

func BenchmarkMulThroughput(b *testing.B) {
	var v [4]Element
	for range b.N / 4 {
		v[0].Mul(&benchX, &benchY)
		v[1].Mul(&benchX, &benchY)
		v[2].Mul(&benchX, &benchY)
		v[3].Mul(&benchX, &benchY)
	}
}

func BenchmarkSquare(b *testing.B) { benchLatency(b, func(v *Element) { v.Square(v) }) }

func BenchmarkSquareThroughput(b *testing.B) {
	var v [4]Element
	for range b.N / 4 {
		v[0].Square(&benchX)
		v[1].Square(&benchX)
		v[2].Square(&benchX)
		v[3].Square(&benchX)
	}
}

func BenchmarkSquareN44(b *testing.B) { benchLatency(b, func(v *Element) { v.SquareN(v, 44) }) }
func BenchmarkSquareN44Vartime(b *testing.B) {
	benchLatency(b, func(v *Element) { squareNVartime(v, v, 44) })
}
func BenchmarkAdd(b *testing.B)      { benchLatency(b, func(v *Element) { v.Add(v, &benchY) }) }
func BenchmarkSub(b *testing.B)      { benchLatency(b, func(v *Element) { v.Sub(v, &benchY) }) }
func BenchmarkNeg(b *testing.B)      { benchLatency(b, func(v *Element) { v.Neg(v) }) }
func BenchmarkHalf(b *testing.B)     { benchLatency(b, func(v *Element) { v.Half(v) }) }
func BenchmarkMulSmall(b *testing.B) { benchLatency(b, func(v *Element) { v.MulSmall(v, 3) }) }
func BenchmarkSqrt(b *testing.B)     { benchLatency(b, func(v *Element) { v.Sqrt(v) }) }
func BenchmarkSqrtVartime(b *testing.B) {
	benchLatency(b, func(v *Element) { v.SqrtVartime(v) })
}
func BenchmarkInvert(b *testing.B) { benchLatency(b, func(v *Element) { v.Invert(v) }) }
func BenchmarkInvertVartime(b *testing.B) {
	benchLatency(b, func(v *Element) { v.InvertVartime(v) })
}
