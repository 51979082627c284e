package scalar

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	one     = big.NewInt(1)
	order   = reference.N()
	halfN   = new(big.Int).Rsh(order, 1) // (n-1)/2
	two256  = new(big.Int).Lsh(one, 256)
	maximum = new(big.Int).Sub(two256, one)

	arithmetic = reference.Arithmetic[Scalar]{
		Modulus: order,
		From:    func(x *big.Int) Scalar { return *fromInt(x) },
		Int:     (*Scalar).int,
	}
)

// mod returns x modulo n, in [0, n).
func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, order) }

// fromInt returns x modulo n as a Scalar. It does not use SetBytes, which is under test.
func fromInt(x *big.Int) *Scalar { return fromWords(reference.Words(mod(x))) }

func fromWords(l [4]uint64) *Scalar { return &Scalar{l[0], l[1], l[2], l[3]} }

func (v *Scalar) int() *big.Int { return reference.FromWords(v.l0, v.l1, v.l2, v.l3) }

// numbers returns the edge cases and n random integers in [0, 2^256).
func numbers(n int) []*big.Int {
	rnd := rand.New(rand.NewPCG(3, 3))
	xs := reference.EdgeInts()
	for range n {
		xs = append(xs, reference.RandInt(rnd))
	}
	return xs
}

// samples returns the numbers modulo n.
func samples(n int) []*big.Int {
	xs := numbers(n)
	for _, x := range xs {
		x.Mod(x, order)
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
	half := new(big.Int).ModInverse(big.NewInt(2), order)
	for _, x := range samples(many(2000)) {
		check := func(name string, want *big.Int, op func(v, a *Scalar) *Scalar) {
			t.Helper()
			arithmetic.Unary(t, name, x, want, op)
		}
		minus := new(big.Int).Neg(x)
		check("Set", x, (*Scalar).Set)
		check("Zero", new(big.Int), func(v, _ *Scalar) *Scalar { return v.Zero() })
		check("One", one, func(v, _ *Scalar) *Scalar { return v.One() })
		check("Neg", minus, (*Scalar).Neg)
		check("Half", new(big.Int).Mul(x, half), (*Scalar).Half)
		check("Square", new(big.Int).Mul(x, x), (*Scalar).Square)
		check("Invert", inverse(x), (*Scalar).Invert)
		check("InvertVartime", inverse(x), (*Scalar).InvertVartime)
		for choice, want := range []*big.Int{x, minus} {
			check("CondNeg", want, func(v, a *Scalar) *Scalar { return v.CondNeg(a, ct.Choice(choice)) })
		}
	}
}

func inverse(a *big.Int) *big.Int {
	if a.Sign() == 0 {
		return new(big.Int)
	}
	return new(big.Int).ModInverse(a, order)
}

func TestBinary(t *testing.T) {
	xs := samples(many(150))
	for _, x := range xs {
		for _, y := range xs {
			check := func(name string, want *big.Int, op func(v, a, b *Scalar) *Scalar) {
				t.Helper()
				arithmetic.Binary(t, name, x, y, want, op)
			}
			check("Add", new(big.Int).Add(x, y), (*Scalar).Add)
			check("Sub", new(big.Int).Sub(x, y), (*Scalar).Sub)
			check("Mul", new(big.Int).Mul(x, y), (*Scalar).Mul)
			for choice, want := range []*big.Int{y, x} {
				check("Select", want, func(v, a, b *Scalar) *Scalar {
					return v.Select(ct.Choice(choice), a, b)
				})
			}
		}
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
			l := a.Limbs()
			l[bit/64] ^= 1 << (bit % 64)
			if a.Equal(fromWords(l)) != 0 {
				t.Fatalf("Equal overlooks bit %d", bit)
			}
		}
	}
}

func TestSet(t *testing.T) {
	x := uint64(1<<63 + 5)
	if v := (&Scalar{1, 2, 3, 4}).SetUint64(x); v.int().Cmp(new(big.Int).SetUint64(x)) != 0 {
		t.Errorf("SetUint64 sets %x", v.int())
	}
	v := Scalar{1, 2, 3, 4}
	if v.Wipe(); v != (Scalar{}) {
		t.Errorf("Wipe leaves %x", v.int())
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
		want := reference.FromWords(p[:]...)
		if want = mod(want); v.int().Cmp(want) != 0 {
			t.Fatalf("reduce(%x) = %x, want %x", p, v.int(), want)
		}
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	for range many(200000) {
		var p [8]uint64
		for i := range p {
			if p[i] = rnd.Uint64(); rnd.IntN(3) > 0 {
				p[i] = limbs[rnd.IntN(len(limbs))]
			}
		}
		check(p)
	}
	// For multiples of n and their neighbours, the last subtraction may or may not be needed.
	for range many(20000) {
		x := new(big.Int).Mul(reference.RandInt(rnd), order)
		if x.Add(x, big.NewInt(int64(rnd.IntN(5))-2)); x.Sign() < 0 {
			continue
		}
		low, high := reference.Words(x), reference.Words(new(big.Int).Rsh(x, 256))
		check([8]uint64(append(low[:], high[:]...)))
	}
}

func TestBytes(t *testing.T) {
	for _, x := range numbers(1000) {
		b := [32]byte(x.FillBytes(make([]byte, 32)))
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
	if new(big.Int).SetBytes(out[:]).Cmp(mod(x)) != 0 {
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
	l := reference.Words(x)
	if c := w.SetLimbs(&l); c != canonical || w != v {
		t.Fatalf("SetLimbs(%x) = %x, %d", x, w.int(), c)
	}
	if got := w.Limbs(); canonical.Bool() && got != l {
		t.Fatalf("Limbs of %x: %x", x, got)
	}
}

func TestWideBytes(t *testing.T) {
	xs := numbers(100)
	for i, high := range xs {
		for j := i % 5; j < len(xs); j += 5 {
			var b [64]byte
			high.FillBytes(b[:32])
			xs[j].FillBytes(b[32:])
			var v Scalar
			if want := mod(new(big.Int).SetBytes(b[:])); v.SetWideBytes(&b).int().Cmp(want) != 0 {
				t.Fatalf("SetWideBytes(%x) = %x, want %x", b, v.int(), want)
			}
		}
	}
}

func FuzzBytes(f *testing.F) {
	for _, x := range reference.EdgeInts() {
		f.Add(x.FillBytes(make([]byte, 32)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b [32]byte
		copy(b[:], data)
		checkBytes(t, &b)
	})
}

// TestBatchInvert inverts batches with zeros, and with BatchInvert also without zeros.
func TestBatchInvert(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 31} {
		for zeros := range 1 << min(n, 4) {
			v, want := make([]Scalar, n), make([]Scalar, n)
			for i, x := range samples(n)[len(reference.EdgeInts()):] {
				if zeros>>i&1 == 1 {
					x.SetInt64(0)
				} else if x.Sign() == 0 {
					x.SetInt64(2)
				}
				v[i], want[i] = *fromInt(x), *fromInt(inverse(x))
			}
			again := slices.Clone(v)
			BatchInvertVartime(v, make([]Scalar, n+zeros%2))
			if !slices.Equal(v, want) {
				t.Errorf("%d elements, zeros %b: %x, want %x", n, zeros, v, want)
			}
			if zeros > 0 {
				continue
			}
			if BatchInvert(again, make([]Scalar, n+1)); !slices.Equal(again, want) {
				t.Errorf("%d elements in constant time: %x, want %x", n, again, want)
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
