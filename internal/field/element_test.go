package field

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	bigP = reference.P()
	bigR = new(big.Int).Lsh(big.NewInt(1), 256)

	arithmetic = reference.Arithmetic[Element]{Modulus: bigP, From: fromBig, Int: toBig}
)

// fromBig returns an element whose limbs represent x itself, even if x is p or more.
func fromBig(x *big.Int) (v Element) {
	l := reference.Words(x)
	return *v.SetLimbs(l[0], l[1], l[2], l[3])
}

// toBig returns the residue of v in [0, p). The function raw returns the number in the limbs of v
// without reducing it.
func toBig(v *Element) *big.Int { return mod(raw(v)) }

func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, bigP) }

// values returns edge cases and n random numbers.
func values(n int) []*big.Int {
	out := reference.EdgeInts()
	add := func(x *big.Int) {
		if x.Sign() >= 0 && x.Cmp(bigR) < 0 {
			out = append(out, x)
		}
	}
	one := big.NewInt(1)
	p32 := new(big.Int).Add(bigP, big.NewInt(1<<32))
	add(p32) // its square carries in the third fold
	add(new(big.Int).Add(p32, one))
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
	// The multiplication 3·third has a carry out of every limb.
	third := new(big.Int).Div(new(big.Int).Sub(bigR, one), big.NewInt(3))
	add(third.Add(third, new(big.Int).SetUint64(0xaaaaaaaaaaaaaaaa)))
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		add(reference.RandInt(r))
	}
	return out
}

func TestBinary(t *testing.T) {
	random := 120
	if !cputest.Deep() {
		random = 12
	}
	vs := values(random)
	for _, x := range vs {
		for _, y := range vs {
			checkBinary(t, &arithmetic, x, y, x, y)
		}
	}
}

// checkBinary checks the functions of two elements, From(fromX) and From(fromY), whose limbs
// represent x and y.
func checkBinary(
	t *testing.T, arithmetic *reference.Arithmetic[Element], fromX, fromY, x, y *big.Int,
) {
	t.Helper()
	check := func(name string, want *big.Int, op func(v, a, b *Element) *Element) {
		t.Helper()
		arithmetic.Binary(t, name, fromX, fromY, want, op)
	}
	check("Add", new(big.Int).Add(x, y), (*Element).Add)
	check("Sub", new(big.Int).Sub(x, y), (*Element).Sub)
	twice := new(big.Int).Lsh(y, 1)
	check("SubTwice", twice.Sub(x, twice), (*Element).SubTwice)
	check("Mul", new(big.Int).Mul(x, y), (*Element).Mul)
	for choice, want := range []*big.Int{y, x} {
		check("Select", want, func(v, a, b *Element) *Element {
			return v.Select(ct.Choice(choice), a, b)
		})
	}
	a, b := arithmetic.From(fromX), arithmetic.From(fromY)
	if got, want := a.Equal(&b).Bool(), mod(x).Cmp(mod(y)) == 0; got != want {
		t.Fatalf("Equal(%x, %x) = %v", x, y, got)
	}
}

func TestUnary(t *testing.T) {
	for _, x := range values(2000) {
		checkUnary(t, &arithmetic, x, x)
		a := fromBig(x)
		if reference.FromWords(words(&a)...).Cmp(x) != 0 {
			t.Fatalf("Words(%x) = %x", x, words(&a))
		}
		checkBytes(t, x)
	}
}

// checkUnary checks the functions of one element. From(from) is an element whose limbs represent x.
func checkUnary(
	t *testing.T, arithmetic *reference.Arithmetic[Element], from, x *big.Int,
) {
	t.Helper()
	check := func(name string, want *big.Int, op func(v, a *Element) *Element) {
		t.Helper()
		arithmetic.Unary(t, name, from, want, op)
	}
	half := new(big.Int).ModInverse(big.NewInt(2), bigP)
	minus := new(big.Int).Neg(x)
	check("Square", new(big.Int).Mul(x, x), (*Element).Square)
	check("Double", new(big.Int).Lsh(x, 1), (*Element).Double)
	check("Neg", minus, (*Element).Neg)
	check("Half", new(big.Int).Mul(x, half), (*Element).Half)
	three := new(big.Int).Mul(x, big.NewInt(3))
	check("ThreeHalves", three.Mul(three, half), (*Element).ThreeHalves)
	check("MulBeta", new(big.Int).Mul(x, reference.Beta()), (*Element).MulBeta)
	check("Invert", inverse(x), (*Element).Invert)
	check("InvertVartime", inverse(x), (*Element).InvertVartime)
	check("Set", x, (*Element).Set)
	check("Zero", new(big.Int), func(v, _ *Element) *Element { return v.Zero() })
	check("One", big.NewInt(1), func(v, _ *Element) *Element { return v.One() })
	for choice, want := range []*big.Int{x, minus} {
		check("CondNeg", want, func(v, a *Element) *Element { return v.CondNeg(a, ct.Choice(choice)) })
	}
	for _, k := range []uint64{0, 1, 2, 3, 4, 8, 21, 1<<31 - 1} {
		want := new(big.Int).Mul(x, new(big.Int).SetUint64(k))
		check("MulSmall", want, func(v, a *Element) *Element { return v.MulSmall(a, k) })
	}
	for _, n := range []int{1, 2, 3, 44} {
		want := new(big.Int).Exp(mod(x), new(big.Int).Lsh(big.NewInt(1), uint(n)), bigP)
		check("SquareN", want, func(v, a *Element) *Element { return v.SquareN(a, n) })
	}

	a := arithmetic.From(from)
	if got, want := a.IsZero().Bool(), mod(x).Sign() == 0; got != want {
		t.Fatalf("IsZero(%x) = %v", x, got)
	}
	if got, want := a.IsOdd().Bool(), mod(x).Bit(0) == 1; got != want {
		t.Fatalf("IsOdd(%x) = %v", x, got)
	}
	if got, want := a.Limbs(), reference.Words(mod(x)); got != want {
		t.Fatalf("Limbs(%x) = %x, want %x", x, got, want)
	}
	if w := reference.FromWords(words(&a)...); mod(w).Cmp(mod(x)) != 0 {
		t.Fatalf("Words(%x) = %x", x, w)
	}
	var b [32]byte
	a.PutWords(&b)
	for i, w := range words(&a) {
		if got := binary.LittleEndian.Uint64(b[8*i:]); got != w {
			t.Fatalf("word %d of %x: %x and %x", i, x, got, w)
		}
	}
	canonical := a
	if canonical.Normalize(); canonical != fromBig(mod(x)) || canonical.Equal(&a) != 1 {
		t.Fatalf("Normalize(%x) = %x", x, raw(&canonical))
	}
}

// checkBytes reads and writes the 32 bytes of x.
func checkBytes(t *testing.T, x *big.Int) {
	t.Helper()
	b := [32]byte(x.FillBytes(make([]byte, 32)))
	var v Element
	if got, want := v.SetBytes(&b).Bool(), x.Cmp(bigP) < 0; got != want {
		t.Fatalf("SetBytes(%x) canonical: %v", x, got)
	}
	if toBig(&v).Cmp(mod(x)) != 0 {
		t.Fatalf("SetBytes(%x) = %x", x, toBig(&v))
	}
	v = fromBig(x)
	if v.PutBytes(&b); new(big.Int).SetBytes(b[:]).Cmp(mod(x)) != 0 {
		t.Fatalf("PutBytes(%x) = %x", x, b)
	}
}

func words(a *Element) []uint64 {
	w0, w1, w2, w3 := a.Words()
	return []uint64{w0, w1, w2, w3}
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
				arithmetic.Binary(t, "Mul", a, y, new(big.Int).Mul(a, y), (*Element).Mul)
			}
			s := new(big.Int).ModSqrt(big.NewInt(j), bigP)
			if s == nil {
				continue
			}
			for _, y := range []*big.Int{s, new(big.Int).Sub(bigP, s)} {
				if foldsThrice(y, y) {
					found++
				}
				arithmetic.Unary(t, "Square", y, new(big.Int).Mul(y, y), (*Element).Square)
				arithmetic.Binary(t, "Mul", y, y, new(big.Int).Mul(y, y), (*Element).Mul)
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
	all := values(300)
	for i, x := range all {
		y := all[(7*i+3)%len(all)]
		ratio := new(big.Int).ModInverse(mod(y), bigP)
		if ratio == nil {
			continue
		}
		ratio.Mul(ratio, x)
		square := big.Jacobi(mod(ratio), bigP) >= 0
		if !square {
			ratio.Neg(ratio)
		}
		arithmetic.Binary(t, "SqrtRatio", x, y, ratio, func(v, a, b *Element) *Element {
			if v.SqrtRatio(a, b).Bool() != square {
				t.Fatalf("SqrtRatio(%x, %x): square = %v", x, y, !square)
			}
			return v.Square(v)
		})
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

// TestSqrt checks that roots are a^((p+1)/4), which is a root of −a if a has none.
func TestSqrt(t *testing.T) {
	power := new(big.Int).Add(bigP, big.NewInt(1))
	power.Rsh(power, 2)
	for _, x := range values(300) {
		a, want := fromBig(x), new(big.Int).Exp(mod(x), power, bigP)
		square := big.Jacobi(mod(x), bigP) >= 0
		if a.IsSquareVartime() != square {
			t.Fatalf("IsSquareVartime(%x) = %v", x, !square)
		}
		for name, sqrt := range map[string]func(v, a *Element) ct.Choice{
			"Sqrt": (*Element).Sqrt, "SqrtVartime": (*Element).SqrtVartime,
		} {
			arithmetic.Unary(t, name, x, want, func(v, a *Element) *Element {
				if sqrt(v, a).Bool() != square {
					t.Fatalf("%s(%x): square = %v", name, x, !square)
				}
				return v
			})
		}
	}
}

// inverse returns 1/x modulo p, or 0 for 0.
func inverse(x *big.Int) *big.Int {
	if mod(x).Sign() == 0 {
		return new(big.Int)
	}
	return new(big.Int).ModInverse(mod(x), bigP)
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
			if toBig(&v[i]).Cmp(inverse(vs[i])) != 0 {
				t.Fatalf("n = %d: inverse %d of %x is %x", n, i, vs[i], toBig(&v[i]))
			}
		}
	}
}

func TestWipe(t *testing.T) {
	v := fromBig(bigP)
	v.Wipe()
	if v != (Element{}) {
		t.Fatal("not wiped")
	}
}

func FuzzBytes(f *testing.F) {
	f.Add(make([]byte, 32))
	f.Add(bigP.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		checkBytes(t, new(big.Int).SetBytes(in[:min(len(in), 32)]))
	})
}

// Benchmarks of Mul, Square, Add and Invert are in lab/bench. In these each operation waits for the
// previous one.
func BenchmarkLatency(b *testing.B) {
	x := fromBig(reference.Gx())
	for name, op := range map[string]func(v *Element){
		"SquareN44":        func(v *Element) { v.SquareN(v, 44) },
		"SquareN44Vartime": func(v *Element) { squareNVartime(v, v, 44) },
		"Neg":              func(v *Element) { v.Neg(v) },
		"Half":             func(v *Element) { v.Half(v) },
		"MulSmall":         func(v *Element) { v.MulSmall(v, 3) },
		"SqrtVartime":      func(v *Element) { v.SqrtVartime(v) },
	} {
		b.Run(name, func(b *testing.B) {
			v := x
			for range b.N {
				op(&v)
			}
		})
	}
}

// BenchmarkSquareThroughput computes four independent squares at a time.
func BenchmarkSquareThroughput(b *testing.B) {
	x := fromBig(reference.Gx())
	var v [4]Element
	for range b.N / 4 {
		for i := range v {
			v[i].Square(&x)
		}
	}
}
