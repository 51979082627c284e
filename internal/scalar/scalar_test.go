package scalar

import (
	"bytes"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
)

var (
	one     = big.NewInt(1)
	order   = hexInt("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	halfN   = new(big.Int).Rsh(order, 1) // (n-1)/2
	two256  = new(big.Int).Lsh(one, 256)
	maximum = new(big.Int).Sub(two256, one)
)

func hexInt(s string) *big.Int {
	x, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic("not hexadecimal: " + s)
	}
	return x
}

// mod returns x modulo n, in [0, n).
func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, order) }

// fromInt returns x as a Scalar, for 0 ≤ x < n. It does not use SetBytes, which is under test.
func fromInt(x *big.Int) *Scalar {
	if x.Sign() < 0 || x.Cmp(order) >= 0 {
		panic(fmt.Sprintf("not canonical: %x", x))
	}
	word := new(big.Int).SetUint64(^uint64(0))
	limb := func(i uint) uint64 {
		l := new(big.Int).Rsh(x, 64*i)
		return l.And(l, word).Uint64()
	}
	return &Scalar{limb(0), limb(1), limb(2), limb(3)}
}

func (v *Scalar) int() *big.Int {
	x := new(big.Int)
	for _, l := range []uint64{v.l3, v.l2, v.l1, v.l0} {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(l))
	}
	return x
}

// edges returns integers in [0, 2^256) close to values where a carry or the result of a comparison
// changes.
func edges() []*big.Int {
	var xs []*big.Int
	around := func(x *big.Int) {
		for i := int64(-2); i <= 2; i++ {
			y := new(big.Int).Add(x, big.NewInt(i))
			if y.Sign() >= 0 && y.Cmp(two256) < 0 {
				xs = append(xs, y)
			}
		}
	}
	d := new(big.Int).Sub(two256, order)
	for _, x := range []*big.Int{
		new(big.Int), order, halfN, two256, d, mod(new(big.Int).Neg(d)), lambda,
		mod(new(big.Int).Neg(lambda)), new(big.Int).Sqrt(order), new(big.Int).Div(order, big.NewInt(3)),
		hexInt("5555555555555555555555555555555555555555555555555555555555555555"),
		hexInt("00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff"),
		hexInt("ffffffff00000000ffffffff00000000ffffffff00000000ffffffff00000000"),
		hexInt("0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff"),
		hexInt("ffffffffffffffff0000000000000000ffffffffffffffff0000000000000000"),
		hexInt("fffffffffffffffffffffffffffffffe00000000000000000000000000000000"),
	} {
		around(x)
	}
	for i := uint(8); i < 256; i += 8 {
		around(new(big.Int).Lsh(one, i))
	}
	return xs
}

// random returns a random integer in [0, 2^256), often with long runs of equal bits.
func random(rnd *rand.Rand) *big.Int {
	x := new(big.Int)
	if rnd.Intn(2) == 0 {
		return x.Rand(rnd, two256)
	}
	for at, bit := 0, uint(rnd.Intn(2)); at < 256; bit ^= 1 {
		for n := 1 + rnd.Intn(1<<(1+rnd.Intn(8))); n > 0 && at < 256; n, at = n-1, at+1 {
			x.SetBit(x, at, bit)
		}
	}
	return x
}

// samples returns the edges modulo n and n random scalars.
func samples(n int) []*big.Int {
	rnd := rand.New(rand.NewSource(3))
	var xs []*big.Int
	for _, x := range edges() {
		xs = append(xs, mod(x))
	}
	for range n {
		xs = append(xs, mod(random(rnd)))
	}
	return xs
}

// many returns a number of random scalars to test: n if KOBLITZ_DEEP is set, and otherwise a tenth
// of n.
func many(n int) int {
	if cputest.Deep() {
		return n
	}
	return n / 10
}

func TestUnary(t *testing.T) {
	inv2 := new(big.Int).ModInverse(big.NewInt(2), order)
	tests := []struct {
		name string
		fn   func(v, a *Scalar) *Scalar
		want func(a *big.Int) *big.Int
	}{
		{"Set", (*Scalar).Set, func(a *big.Int) *big.Int { return a }},
		{"Neg", (*Scalar).Neg, func(a *big.Int) *big.Int { return mod(new(big.Int).Neg(a)) }},
		{"Half", (*Scalar).Half, func(a *big.Int) *big.Int { return mod(new(big.Int).Mul(a, inv2)) }},
		{"Square", (*Scalar).Square, func(a *big.Int) *big.Int { return mod(new(big.Int).Mul(a, a)) }},
		{"Invert", (*Scalar).Invert, inverse},
		{"InvertVartime", (*Scalar).InvertVartime, inverse},
		{"CondNeg 0", func(v, a *Scalar) *Scalar { return v.CondNeg(a, 0) },
			func(a *big.Int) *big.Int { return a }},
		{"CondNeg 1", func(v, a *Scalar) *Scalar { return v.CondNeg(a, 1) },
			func(a *big.Int) *big.Int { return mod(new(big.Int).Neg(a)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, x := range samples(many(2000)) {
				a := fromInt(x)
				want := tt.want(x)
				v := Scalar{1, 2, 3, 4}
				if r := tt.fn(&v, a); r != &v {
					t.Fatal("does not return its receiver")
				}
				if v.int().Cmp(want) != 0 {
					t.Fatalf("of %x: %x, want %x", x, v.int(), want)
				}
				if a.int().Cmp(x) != 0 {
					t.Fatalf("changed its argument %x", x)
				}
				if tt.fn(a, a); a.int().Cmp(want) != 0 {
					t.Fatalf("of %x in place: %x, want %x", x, a.int(), want)
				}
			}
		})
	}
}

func inverse(a *big.Int) *big.Int {
	if a.Sign() == 0 {
		return new(big.Int)
	}
	return new(big.Int).ModInverse(a, order)
}

func TestBinary(t *testing.T) {
	tests := []struct {
		name string
		fn   func(v, a, b *Scalar) *Scalar
		want func(a, b *big.Int) *big.Int
	}{
		{"Add", (*Scalar).Add, func(a, b *big.Int) *big.Int { return mod(new(big.Int).Add(a, b)) }},
		{"Sub", (*Scalar).Sub, func(a, b *big.Int) *big.Int { return mod(new(big.Int).Sub(a, b)) }},
		{"Mul", (*Scalar).Mul, func(a, b *big.Int) *big.Int { return mod(new(big.Int).Mul(a, b)) }},
		{"Select 0", func(v, a, b *Scalar) *Scalar { return v.Select(0, a, b) },
			func(a, b *big.Int) *big.Int { return b }},
		{"Select 1", func(v, a, b *Scalar) *Scalar { return v.Select(1, a, b) },
			func(a, b *big.Int) *big.Int { return a }},
	}
	xs := samples(many(150))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, x := range xs {
				for _, y := range xs {
					a, b := *fromInt(x), *fromInt(y)
					want := *fromInt(tt.want(x, y))
					v := Scalar{1, 2, 3, 4}
					if r := tt.fn(&v, &a, &b); r != &v {
						t.Fatal("does not return its receiver")
					}
					if v != want {
						t.Fatalf("of %x and %x: %x, want %x", x, y, v.int(), want.int())
					}
					v = a
					if tt.fn(&v, &v, &b); v != want {
						t.Fatalf("of %x and %x into the first: %x, want %x", x, y, v.int(), want.int())
					}
					v = b
					if tt.fn(&v, &a, &v); v != want {
						t.Fatalf("of %x and %x into the second: %x, want %x", x, y, v.int(), want.int())
					}
				}
				a := *fromInt(x)
				if tt.fn(&a, &a, &a); a.int().Cmp(tt.want(x, x)) != 0 {
					t.Fatalf("of %x and itself in place: %x", x, a.int())
				}
			}
		})
	}
}

func TestPredicates(t *testing.T) {
	choice := func(b bool) ct.Choice {
		if b {
			return 1
		}
		return 0
	}
	for _, x := range samples(many(1000)) {
		a := fromInt(x)
		for _, tt := range []struct {
			name string
			got  ct.Choice
			want bool
		}{
			{"IsZero", a.IsZero(), x.Sign() == 0},
			{"IsOdd", a.IsOdd(), x.Bit(0) == 1},
			{"IsHigh", a.IsHigh(), x.Cmp(halfN) > 0},
			{"Equal itself", a.Equal(a), true},
			{"Equal its successor", a.Equal(new(Scalar).Add(a, new(Scalar).One())), false},
		} {
			if tt.got != choice(tt.want) {
				t.Errorf("%s of %x: %d, want %v", tt.name, x, tt.got, tt.want)
			}
		}
		for bit := range 256 {
			b := *a
			switch bit / 64 {
			case 0:
				b.l0 ^= 1 << (bit % 64)
			case 1:
				b.l1 ^= 1 << (bit % 64)
			case 2:
				b.l2 ^= 1 << (bit % 64)
			case 3:
				b.l3 ^= 1 << (bit % 64)
			}
			if a.Equal(&b) != 0 {
				t.Fatalf("Equal overlooks bit %d", bit)
			}
		}
	}
}

func TestConstants(t *testing.T) {
	if v := new(Scalar).One(); v.int().Cmp(one) != 0 {
		t.Errorf("One is %x", v.int())
	}
	if v := (&Scalar{1, 2, 3, 4}).Zero(); v.int().Sign() != 0 {
		t.Errorf("Zero is %x", v.int())
	}
	x := uint64(1<<63 + 5)
	if v := (&Scalar{1, 2, 3, 4}).SetUint64(x); v.int().Cmp(new(big.Int).SetUint64(x)) != 0 {
		t.Errorf("SetUint64 sets %x", v.int())
	}
	v := Scalar{1, 2, 3, 4}
	if v.Wipe(); v != (Scalar{}) {
		t.Errorf("Wipe leaves %x", v.int())
	}
	n := Scalar{N0, N1, N2, N3}
	if n.int().Cmp(order) != 0 || !order.ProbablyPrime(20) {
		t.Errorf("n is %x", n.int())
	}
	d := Scalar{d0, d1, d2, 0}
	if sum := new(big.Int).Add(d.int(), order); sum.Cmp(two256) != 0 {
		t.Errorf("n + d is %x", sum)
	}
	if p := modulus.CInv * d0; p != 1 {
		t.Errorf("1/d0 · d0 is %x", p)
	}
}

// TestReduce checks that 512-bit numbers are reduced correctly even if they are not products of
// scalars: numbers with extreme limbs, with the largest folds, and with the last carry.
func TestReduce(t *testing.T) {
	limbs := []uint64{0, 1, d0, d1, N0, N1, N2, N3, 1 << 63}
	check := func(p [8]uint64) {
		t.Helper()
		var v Scalar
		v.reduce(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7])
		want := new(big.Int)
		for i := 7; i >= 0; i-- {
			want.Lsh(want, 64).Or(want, new(big.Int).SetUint64(p[i]))
		}
		if want = mod(want); v.int().Cmp(want) != 0 {
			t.Fatalf("reduce(%x) = %x, want %x", p, v.int(), want)
		}
	}
	rnd := rand.New(rand.NewSource(5))
	for range many(200000) {
		var p [8]uint64
		for i := range p {
			if p[i] = rnd.Uint64(); rnd.Intn(3) > 0 {
				p[i] = limbs[rnd.Intn(len(limbs))]
			}
		}
		check(p)
	}
	// For multiples of n and their neighbours, the last subtraction may or may not be needed.
	for range many(20000) {
		q := random(rnd)
		x := new(big.Int).Mul(q, order)
		x.Add(x, big.NewInt(int64(rnd.Intn(5))-2))
		if x.Sign() < 0 {
			continue
		}
		var b [64]byte
		x.FillBytes(b[:])
		var p [8]uint64
		for i := range p {
			p[i] = new(big.Int).SetBytes(b[56-8*i : 64-8*i]).Uint64()
		}
		check(p)
	}
}

func TestBytes(t *testing.T) {
	rnd := rand.New(rand.NewSource(11))
	xs := edges()
	for range 1000 {
		xs = append(xs, random(rnd))
	}
	for _, x := range xs {
		var b [32]byte
		x.FillBytes(b[:])
		checkBytes(t, &b)
	}
}

func checkBytes(t *testing.T, b *[32]byte) {
	t.Helper()
	x := new(big.Int).SetBytes(b[:])
	var v, w Scalar
	canonical := v.SetBytes(b)
	if canonical.Bool() != (x.Cmp(order) < 0) || canonical > 1 {
		t.Fatalf("SetBytes(%x) says %d", x, canonical)
	}
	var u Scalar
	nonzero := canonical.Bool() && x.Sign() != 0
	if inRange := u.SetNonzeroBytes(b); u != v || inRange.Bool() != nonzero || inRange > 1 {
		t.Fatalf("SetNonzeroBytes(%x) = %x, %d", x, u.int(), inRange)
	}
	if v.int().Cmp(mod(x)) != 0 {
		t.Fatalf("SetBytes(%x) = %x", x, v.int())
	}
	var out [32]byte
	v.PutBytes(&out)
	if want := v.int().FillBytes(make([]byte, 32)); !bytes.Equal(out[:], want) {
		t.Fatalf("PutBytes(%x) = %x", x, out)
	}
	var little [32]byte
	v.PutWords(&little)
	slices.Reverse(little[:])
	if little != out {
		t.Fatalf("PutWords(%x) = %x, reversed", x, little)
	}
	if canonical.Bool() && out != *b {
		t.Fatalf("%x comes back as %x", b, out)
	}
	l := [4]uint64{}
	for i := range l {
		l[i] = new(big.Int).SetBytes(b[24-8*i : 32-8*i]).Uint64()
	}
	if c := w.SetLimbs(&l); c != canonical || w != v {
		t.Fatalf("SetLimbs(%x) = %x, %d", x, w.int(), c)
	}
	if got := w.Limbs(); canonical.Bool() && got != l {
		t.Fatalf("Limbs of %x: %x", x, got)
	}
}

func TestWideBytes(t *testing.T) {
	rnd := rand.New(rand.NewSource(12))
	xs := edges()
	for range 100 {
		xs = append(xs, random(rnd))
	}
	for _, high := range xs {
		for _, low := range xs[:40] {
			var b [64]byte
			high.FillBytes(b[:32])
			low.FillBytes(b[32:])
			var v Scalar
			if want := mod(new(big.Int).SetBytes(b[:])); v.SetWideBytes(&b).int().Cmp(want) != 0 {
				t.Fatalf("SetWideBytes(%x) = %x, want %x", b, v.int(), want)
			}
		}
	}
}

func FuzzBytes(f *testing.F) {
	for _, x := range edges() {
		f.Add(x.FillBytes(make([]byte, 32)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b [32]byte
		copy(b[:], data)
		checkBytes(t, &b)
	})
}

func FuzzArithmetic(f *testing.F) {
	f.Add(make([]byte, 32), maximum.Bytes())
	f.Fuzz(func(t *testing.T, data1, data2 []byte) {
		var b [32]byte
		var s, u, v Scalar
		copy(b[:], data1)
		u.SetBytes(&b)
		copy(b[:], data2)
		v.SetBytes(&b)
		x, y := u.int(), v.int()
		for _, tt := range []struct {
			name string
			got  *Scalar
			want *big.Int
		}{
			{"sum", new(Scalar).Add(&u, &v), new(big.Int).Add(x, y)},
			{"difference", new(Scalar).Sub(&u, &v), new(big.Int).Sub(x, y)},
			{"product", new(Scalar).Mul(&u, &v), new(big.Int).Mul(x, y)},
			{"square", new(Scalar).Square(&u), new(big.Int).Mul(x, x)},
		} {
			if tt.got.int().Cmp(mod(tt.want)) != 0 {
				t.Errorf("%s of %x and %x: %x", tt.name, x, y, tt.got.int())
			}
		}
		if s.Half(&u); new(Scalar).Add(&s, &s).Equal(&u) != 1 {
			t.Errorf("half of %x: %x", x, s.int())
		}
		checkSplit(t, x)
	})
}

func TestBatchInvert(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 31} {
		v, want := make([]Scalar, n), make([]Scalar, n)
		for i, x := range samples(n)[len(edges()):] {
			v[i], want[i] = *fromInt(x), *fromInt(inverse(x))
		}
		BatchInvert(v, make([]Scalar, n+1))
		if !slices.Equal(v, want) {
			t.Errorf("%d elements: %x, want %x", n, v, want)
		}
	}
}

func TestBatchInvertVartime(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 31} {
		for zeros := range 1 << min(n, 4) {
			v, want := make([]Scalar, n), make([]Scalar, n)
			for i, x := range samples(n)[len(edges()):] {
				if zeros>>i&1 == 1 {
					x.SetInt64(0)
				}
				v[i] = *fromInt(x)
				want[i] = *fromInt(inverse(x))
			}
			BatchInvertVartime(v, make([]Scalar, n+zeros%2))
			for i := range v {
				if v[i] != want[i] {
					t.Fatalf("%d of %d, zeros %b: %x, want %x", i, n, zeros, v[i].int(), want[i].int())
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	v, b := *fromInt(lambda), [32]byte{1}
	many, scratch := make([]Scalar, 8), make([]Scalar, 8)
	if n := testing.AllocsPerRun(100, func() {
		v.SetBytes(&b)
		v.Mul(&v, &v).Square(&v).Add(&v, &v).Neg(&v).CondNeg(&v, v.IsOdd()).Half(&v)
		k1, _ := v.Split()
		v.SetHalf(&k1).Invert(&v).InvertVartime(&v).Wipe()
		v.PutBytes(&b)
		BatchInvertVartime(many, scratch)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleScalar_IsHigh() {
	// ECDSA verification holds for s as well as n - s; only the lower of the two is canonical.
	s := new(Scalar).SetUint64(5)
	s.Neg(s)
	s.CondNeg(s, s.IsHigh())
	fmt.Println(s.Limbs())
	// Output: [5 0 0 0]
}

func ExampleScalar_Split() {
	k := new(Scalar).SetUint64(3)
	k.Invert(k)
	k1, k2 := k.Split()
	fmt.Println(bits.Len64(k1.Hi)+64, bits.Len64(k2.Hi)+64)

	// Compute k1 + k2·λ, which must be k.
	v := new(Scalar).SetHalf(&k2)
	v.Mul(v, fromInt(lambda))
	v.Add(v, new(Scalar).SetHalf(&k1))
	fmt.Println(v.Equal(k))
	// Output:
	// 125 127
	// 1
}
