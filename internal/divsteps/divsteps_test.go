package divsteps

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// testModuli are the two moduli of secp256k1 and the largest prime of 256 bits.
var testModuli = []struct {
	name, hex string
}{
	{"p", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"},
	{"n", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"},
	{"2^256-189", "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff43"},
}

// newModulus computes a Modulus from its value in hexadecimal, with math/big.
func newModulus(t testing.TB, hex string) (*Modulus, *big.Int) {
	t.Helper()
	value := new(big.Int).SetBytes(reference.Hex(hex))
	if !value.ProbablyPrime(20) {
		t.Fatalf("not a prime: %s", hex)
	}
	c := reference.Words(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), value))
	if c[2] > 1 || c[3] != 0 {
		t.Fatalf("not of the form of a Modulus: %s", hex)
	}
	word := new(big.Int).Lsh(big.NewInt(1), 64)
	inv := new(big.Int).ModInverse(new(big.Int).SetUint64(c[0]), word)
	return &Modulus{C0: c[0], C1: c[1], C2: c[2], CInv: inv.Uint64()}, value
}

// TestNewModulus checks that NewModulus computes the same constants as newModulus does with
// math/big.
func TestNewModulus(t *testing.T) {
	for _, tt := range testModuli {
		want, _ := newModulus(t, tt.hex)
		if got := NewModulus(want.C0, want.C1, want.C2); got != *want {
			t.Errorf("%s: %x, want %x", tt.name, got, *want)
		}
	}
	for c0 := uint64(1); c0 != 0; c0 <<= 1 {
		if m := NewModulus(c0|1, 0, 0); m.CInv*m.C0 != 1 {
			t.Errorf("1/%#x is not %#x", m.C0, m.CInv)
		}
	}
}

func integer(l *[4]uint64) *big.Int { return reference.FromWords(l[:]...) }

// inputs returns numbers near the ends of [0, m), and n random numbers, some with long runs of
// equal bits.
func inputs(m *big.Int, n int) []*big.Int {
	rnd := rand.New(rand.NewPCG(7, 7))
	one := big.NewInt(1)
	var xs []*big.Int
	add := func(x *big.Int) { xs = append(xs, new(big.Int).Mod(x, m)) }
	for i := range int64(64) {
		add(big.NewInt(i))
		add(big.NewInt(-1 - i))
	}
	half := new(big.Int).Rsh(m, 1)
	add(half)
	add(new(big.Int).Add(half, one))
	third := new(big.Int).Div(m, big.NewInt(3))
	add(third)
	add(new(big.Int).Lsh(third, 1))
	for i := range uint(256) {
		x := new(big.Int).Lsh(one, i)
		add(x)
		add(new(big.Int).Neg(x))
		add(new(big.Int).Sub(x, one))
		add(new(big.Int).Add(x, one))
		add(new(big.Int).ModInverse(x, m)) // its inverse is x, which makes d extreme
	}
	for range n {
		add(reference.RandInt(rnd))
	}
	return xs
}

func TestInvert(t *testing.T) {
	for _, tt := range testModuli {
		t.Run(tt.name, func(t *testing.T) {
			m, value := newModulus(t, tt.hex)
			n := 20000
			if !cputest.Deep() {
				n = 2000
			}
			for _, x := range inputs(value, n) {
				check(t, m, value, x)
			}
		})
	}
}

// check checks that Invert and InvertVartime return math/big's inverse of x modulo value, even if
// input and output are the same array.
func check(t *testing.T, m *Modulus, value, x *big.Int) {
	t.Helper()
	want := new(big.Int)
	if x.Sign() != 0 {
		want.ModInverse(x, value)
	}
	arithmetic := reference.Arithmetic[[4]uint64]{Modulus: value, From: reference.Words, Int: integer}
	for name, invert := range map[string]func(out, in *[4]uint64){
		"Invert": m.Invert, "InvertVartime": m.InvertVartime,
	} {
		arithmetic.Unary(t, name, x, want, func(v, a *[4]uint64) *[4]uint64 {
			invert(v, a)
			return v
		})
	}
}

// TestRuns checks that the variable-time inversion gives up and writes nothing if its limit on runs
// of Euclid's algorithm is too low. It also checks that at most nine runs are needed, even for
// numbers with long runs of zeros.
func TestRuns(t *testing.T) {
	for _, tt := range testModuli {
		t.Run(tt.name, func(t *testing.T) {
			m, value := newModulus(t, tt.hex)
			counts := map[int]int{}
			for _, x := range inputs(value, 2000) {
				in, needed := reference.Words(x), 0
				var want [4]uint64
				m.Invert(&want, &in)
				before := [4]uint64{1, 2, 3, 4}
				got := before
				for !euclidVartime(&got, &in, m, needed) {
					if got != before {
						t.Fatalf("%x: %d runs are not enough and leave %x", x, needed, got)
					}
					needed++
				}
				if got != want {
					t.Fatalf("%x: %x after %d runs, want %x", x, got, needed, want)
				}
				// With a limit that is one run too low, invertVartime must get the same inverse by
				// division steps, even if it overwrites its input.
				got = in
				if m.invertVartime(&got, &got, needed-1); got != want {
					t.Fatalf("%x: %x by division steps, want %x", x, got, want)
				}
				counts[needed]++
			}
			t.Log("inputs by the runs that they need:", counts)
			for n := range counts {
				if n > 9 {
					t.Errorf("%d runs", n)
				}
			}
		})
	}
}

// divstep makes one division step by the definition in doc.go, with 2·δ instead of δ.
func divstep(delta2 int, f, g *big.Int) (int, *big.Int, *big.Int) {
	half := func(x *big.Int) *big.Int { return x.Rsh(x, 1) }
	switch {
	case delta2 > 0 && g.Bit(0) == 1:
		return 2 - delta2, g, half(new(big.Int).Sub(g, f))
	case g.Bit(0) == 1:
		return 2 + delta2, f, half(new(big.Int).Add(g, f))
	default:
		return 2 + delta2, f, half(new(big.Int).Set(g))
	}
}

// TestBatch checks, in whole inversions, that each batch of steps agrees with the definition of the
// division step, and that every bound that comments of the code rely on holds.
func TestBatch(t *testing.T) {
	for _, tt := range testModuli {
		t.Run(tt.name, func(t *testing.T) {
			m, value := newModulus(t, tt.hex)
			n := 300
			if !cputest.Deep() {
				n = 20
			}
			for _, x := range inputs(value, n) {
				follow(t, m, value, x)
			}
		})
	}
}

func follow(t *testing.T, m *Modulus, value, x *big.Int) {
	t.Helper()
	l := reference.Words(x)
	f, g := m.start(&l)
	var d, e int257
	zeta := int64(-1)
	delta2, bigF, bigG := 1, new(big.Int).Set(value), new(big.Int).Set(x)
	rowBound := new(big.Int).Lsh(big.NewInt(1), batchSteps)
	bound := new(big.Int).Div(new(big.Int).Lsh(value, 3), big.NewInt(15))
	for i := range maxBatches {
		var c matrix
		zeta = c.batch(zeta, f.l0, g.l0)
		for _, row := range [][2]int64{{c.u, c.v}, {c.q, c.r}} {
			a, b := big.NewInt(row[0]), big.NewInt(row[1])
			if a.Abs(a).Add(a, b.Abs(b)).Cmp(rowBound) > 0 {
				t.Fatalf("%x: batch %d: row %v above 2^%d", x, i, row, batchSteps)
			}
		}
		for range batchSteps {
			delta2, bigF, bigG = divstep(delta2, bigF, bigG)
		}
		c.divide(&f, &g)
		// The code's matrix of a batch is the negative of the matrix by the definition. So after an
		// odd number of batches f and g have the opposite sign.
		sign := big.NewInt(int64(i&1*2 - 1))
		if f.big().Cmp(new(big.Int).Mul(sign, bigF)) != 0 ||
			g.big().Cmp(new(big.Int).Mul(sign, bigG)) != 0 {
			t.Fatalf("%x: batch %d: f, g = %x, %x, want ±(%x, %x)", x, i, f.big(), g.big(), bigF, bigG)
		}
		if int64(-(delta2+1)/2) != zeta {
			t.Fatalf("%x: batch %d: ζ = %d, want -(%d/2 + 1/2)", x, i, zeta, delta2)
		}
		if i == 0 {
			d, e = c.first()
		} else {
			m.apply(&c, &d, &e)
		}
		for _, z := range []*int257{&d, &e} {
			if z.big().CmpAbs(bound) > 0 {
				t.Fatalf("%x: batch %d: d or e = %x above 8m/15", x, i, z.big())
			}
		}
		// d·x·2^64 ≡ f·2^(4(i+1)) modulo m, where i+1 batches have been made. The same holds for e
		// and g in place of d and f.
		for _, z := range [][2]*int257{{&d, &f}, {&e, &g}} {
			left := new(big.Int).Mul(z[0].big(), x)
			right := new(big.Int).Lsh(z[1].big(), uint(batchSteps+i*(batchSteps-64)))
			if left.Sub(left, right).Mod(left, value).Sign() != 0 {
				t.Fatalf("%x: batch %d: d·x is not f", x, i)
			}
		}
	}
	if bigG.Sign() != 0 {
		t.Fatalf("%x: g = %x after %d steps", x, bigG, maxBatches*batchSteps)
	}
}

func (z *int257) big() *big.Int {
	x := integer(&[4]uint64{z.l0, z.l1, z.l2, z.l3})
	if z.sign != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return x
}

func TestAllocations(t *testing.T) {
	m, value := newModulus(t, testModuli[0].hex)
	x := reference.Words(new(big.Int).Rsh(value, 2))
	if n := testing.AllocsPerRun(100, func() {
		m.Invert(&x, &x)
		m.InvertVartime(&x, &x)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleModulus_Invert() {
	// The modulus is p = 2^256 - 0x1000003d1, the prime of secp256k1's field.
	p := Modulus{C0: 0x1000003d1, CInv: 0xd838091dd2253531}
	x := [4]uint64{2}
	p.Invert(&x, &x)
	fmt.Printf("%016x%016x%016x%016x\n", x[3], x[2], x[1], x[0]) // (p+1)/2
	// Output: 7fffffffffffffffffffffffffffffffffffffffffffffffffffffff7ffffe18
}

func BenchmarkInvert(b *testing.B)        { benchmark(b, (*Modulus).Invert) }
func BenchmarkInvertVartime(b *testing.B) { benchmark(b, (*Modulus).InvertVartime) }

func benchmark(b *testing.B, invert func(m *Modulus, out, in *[4]uint64)) {
	for _, tt := range testModuli[:2] {
		b.Run(tt.name, func(b *testing.B) {
			m, _ := newModulus(b, tt.hex)
			// Change x a little in every iteration: the branch predictor would learn two
			// alternating inputs.
			x := [4]uint64{1, 2, 3, 4}
			b.ReportAllocs()
			for i := range b.N {
				x[0] += uint64(i)
				invert(m, &x, &x)
			}
		})
	}
}

func BenchmarkInvertPair(b *testing.B) {
	m, _ := newModulus(b, testModuli[0].hex)
	n, _ := newModulus(b, testModuli[1].hex)
	x, y := [4]uint64{1, 2, 3, 4}, [4]uint64{5, 6, 7, 8}
	for i := range b.N {
		x[0] += uint64(i)
		InvertPair(&x, &y, m, n)
	}
}

// TestInvertPair checks that InvertPair returns the same as two single inversions.
func TestInvertPair(t *testing.T) {
	for k, first := range testModuli {
		m, value := newModulus(t, first.hex)
		second := testModuli[(k+1)%len(testModuli)]
		n, other := newModulus(t, second.hex)
		left, right := inputs(value, 300), inputs(other, 300)
		for i, x := range left {
			for _, j := range []int{i, len(right) - 1 - i, (7*i + k) % len(right)} {
				a, b := reference.Words(x), reference.Words(right[j])
				wantA, wantB := a, b
				m.Invert(&wantA, &wantA)
				n.Invert(&wantB, &wantB)
				if InvertPair(&a, &b, m, n); a != wantA || b != wantB {
					t.Fatalf("InvertPair(%x, %x) modulo %s, %s = %x, %x, want %x, %x",
						x, right[j], first.name, second.name, a, b, wantA, wantB)
				}
			}
		}
	}
}
