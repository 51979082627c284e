package vartime

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

func TestDoubleScalarMult(t *testing.T) {
	c := reference.Secp256k1()
	check := func(a, b, k *big.Int, p reference.Point) {
		t.Helper()
		e := new(big.Int).Mul(b, k)
		e.Add(e, a).Mod(e, c.Order)
		want := c.ScalarMult(e, c.G)
		var r point.Jacobian
		DoubleScalarMult(&r, vartimetest.Scalar(a), vartimetest.Scalar(b), vartimetest.Affine(p))
		if got := vartimetest.Reference(&r); !got.Equal(want) {
			t.Fatalf("%x·G + %x·(%x·G) = %v, want %v", a, b, k, got, want)
		}
	}
	// P is a small multiple of G or of λ·G, so the tables of G and of P hold the same points, and
	// some additions meet equal points and infinity.
	stride := 13
	if !cputest.Deep() {
		stride = 101
	}
	s := vartimetest.Special()
	l := reference.Lambda()
	keys := []*big.Int{
		big.NewInt(1), big.NewInt(2), big.NewInt(3), new(big.Int).Sub(c.Order, big.NewInt(1)),
		l, new(big.Int).Sub(c.Order, l),
	}
	for _, k := range keys {
		p := c.ScalarMult(k, c.G)
		for i, a := range s {
			for j, b := range s {
				if (i+j)%stride != 0 {
					continue
				}
				check(a, b, k, p)
			}
			// With a = −b·k the sum is infinity.
			b := s[(i+5)%len(s)]
			m := new(big.Int).Mul(b, k)
			check(m.Neg(m).Mod(m, c.Order), b, k, p)
		}
	}
	r := rand.New(rand.NewSource(2))
	random := func() *big.Int {
		x := reference.RandInt(r)
		return x.Mod(x, c.Order)
	}
	for range 200 {
		k := random()
		if k.Sign() == 0 {
			k.SetInt64(1)
		}
		check(random(), random(), k, c.ScalarMult(k, c.G))
	}
}

func TestScalarMult(t *testing.T) { testLevels(t, testScalarMult) }

func testScalarMult(t *testing.T) {
	c := reference.Secp256k1()
	p := c.ScalarMult(big.NewInt(12345), c.G)
	for _, k := range append(vartimetest.Special(), reference.EdgeInts()...) {
		var r point.Jacobian
		ScalarMult(&r, vartimetest.Scalar(k), vartimetest.Affine(p))
		reduced := new(big.Int).Mod(k, c.Order)
		if got, want := vartimetest.Reference(&r), c.ScalarMult(reduced, p); !got.Equal(want) {
			t.Fatalf("%x·P = %v, want %v", k, got, want)
		}
		ScalarBaseMult(&r, vartimetest.Scalar(k))
		if got, want := vartimetest.Reference(&r), c.ScalarMult(reduced, c.G); !got.Equal(want) {
			t.Fatalf("%x·G = %v, want %v", k, got, want)
		}
	}
}

// TestParallel compares multiplyParallel, with kernels and with their portable versions, to
// multiply. The formulas of package parallel hold for the curve's own b only, so no small group can
// replace it. P is a small multiple of G or of λ·G instead, or any point.
func TestParallel(t *testing.T) {
	g := generatorTable()
	s := vartimetest.Special()
	random := rand.New(rand.NewSource(rand.Int63()))
	check := func(t *testing.T, a, b *big.Int, p *point.Affine) {
		t.Helper()
		sa, sb := vartimetest.Scalar(a), vartimetest.Scalar(b)
		var got, want point.Jacobian
		multiplyParallel(&got, sa, sb, p, &g)
		multiply(&want, sa, sb, p, &g, window)
		if !got.Equal(&want).Bool() {
			t.Fatalf("%x·G + %x·%v = %v, want %v", a, b, p, got, want)
		}
		multiplyParallel(&got, nil, sb, p, &baseTable{})
		multiply(&want, nil, sb, p, &baseTable{}, window)
		if !got.Equal(&want).Bool() {
			t.Fatalf("%x·%v = %v, want %v", b, p, got, want)
		}
	}
	test := func(t *testing.T) {
		stride := 53
		if cputest.Deep() {
			stride = 3
		}
		c := reference.Secp256k1()
		for _, k := range []*big.Int{
			big.NewInt(1), big.NewInt(2), big.NewInt(3), reference.Lambda(),
			new(big.Int).Sub(c.Order, big.NewInt(1)), new(big.Int).Sub(c.Order, reference.Lambda()),
		} {
			p := vartimetest.Affine(c.ScalarMult(k, c.G))
			for i, a := range s {
				for j, b := range s {
					if (i+j)%stride == 0 {
						check(t, a, b, p)
					}
				}
				infinity := new(big.Int).Mul(a, k)
				check(t, infinity.Neg(infinity), a, p)
			}
		}
		p := *vartimetest.Affine(c.G)
		for range cputest.Cases(1000, 10_000) {
			a, b := reference.RandInt(random), reference.RandInt(random)
			check(t, a, b, &p)
			var next point.Jacobian
			ScalarMult(&next, vartimetest.Scalar(a.Or(a, big.NewInt(1))), &p)
			if !p.SetJacobianVartime(&next) {
				p = *vartimetest.Affine(c.G)
			}
		}
	}
	cputest.Run(t, test, cputest.Portable, cputest.Lanes)
}

// smallTable returns a table of odd multiples of the generator of a small group. No odd multiple
// below 2^(window−1) may be infinity.
func smallTable(c *reference.Curve, window uint) *baseTable {
	half := func(base reference.Point) string {
		var out []byte
		for i := range 1 << (window - 2) {
			m := c.ScalarMult(big.NewInt(int64(2*i+1)), base)
			for _, x := range []*big.Int{m.X, m.Y} {
				var b [32]byte
				x.FillBytes(b[:])
				for j := range b {
					out = append(out, b[31-j])
				}
			}
		}
		return string(out)
	}
	high := c.ScalarMult(new(big.Int).Lsh(big.NewInt(1), 128), c.G)
	return &baseTable{window, half(c.G), half(high)}
}

// TestSmallGroups checks that sums a·B + b·P are right in groups so small that nearly every
// addition is an exceptional case. Scalars are split as on secp256k1, and the expected sum is
// computed from the resulting halves.
func TestSmallGroups(t *testing.T) {
	windows := map[int64]struct{ p, g uint }{7: {3, 3}, 13: {4, 4}, 199: {5, 8}}
	for _, c := range reference.SmallCurves() {
		order := c.Order.Int64()
		w := windows[order]
		g := smallTable(c, w.g)
		r := rand.New(rand.NewSource(order))

		var multiples []reference.Point
		for p := (reference.Point{}); len(multiples) < int(order); p = c.Add(p, c.G) {
			multiples = append(multiples, p)
		}
		split := func(k *scalar.Scalar) int64 {
			k1, k2 := k.Split()
			value := func(h scalar.Half) *big.Int {
				x := new(big.Int).SetUint64(h.Hi)
				x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(h.Lo))
				if h.Neg == 1 {
					x.Neg(x)
				}
				return x
			}
			x := new(big.Int).Mul(value(k2), c.Lambda)
			x.Add(x, value(k1))
			return x.Mod(x, c.Order).Int64()
		}
		check := func(a, b *scalar.Scalar, ka *big.Int, k int64) {
			t.Helper()
			e := (new(big.Int).Mod(ka, c.Order).Int64() + split(b)*k) % order
			var got point.Jacobian
			multiply(&got, a, b, vartimetest.Affine(multiples[k]), g, w.p)
			if p := vartimetest.Reference(&got); !p.Equal(multiples[e]) {
				t.Fatalf("order %d: a = %x, b·P with P = %d·G: %v, want %d·G", order, ka, k, p, e)
			}
		}
		// Try every pair of small scalars, for every point.
		limit := min(order, 14)
		for k := int64(1); k < order; k++ {
			if !cputest.Deep() && k%9 != 1 {
				continue
			}
			for x := range limit {
				for y := range limit {
					check(vartimetest.Scalar(big.NewInt(x)), vartimetest.Scalar(big.NewInt(y)), big.NewInt(x), k)
				}
			}
			for range 8 {
				x, y := reference.RandInt(r), reference.RandInt(r)
				x.Mod(x, reference.N())
				check(vartimetest.Scalar(x), vartimetest.Scalar(y), x, k)
			}
		}
	}
}

func TestGeneratorTable(t *testing.T) {
	sum := sha256.Sum256([]byte(baseData))
	if got := hex.EncodeToString(sum[:]); got != baseSum {
		t.Fatalf("g.bin has SHA-256 %s, want %s", got, baseSum)
	}
	c := reference.Secp256k1()
	high := c.ScalarMult(new(big.Int).Lsh(big.NewInt(1), 128), c.G)
	g := generatorTable()
	for _, half := range []struct {
		data string
		base reference.Point
	}{{g.low, c.G}, {g.high, high}} {
		twice, p := c.Double(half.base), half.base
		for i := range 1 << (BaseWindow - 2) {
			var q point.Affine
			pickBase(&q, half.data, int16(2*i+1))
			if q.Equal(vartimetest.Affine(p)) != 1 {
				t.Fatalf("entry %d is wrong", i)
			}
			pickBase(&q, half.data, -int16(2*i+1))
			if q.Equal(vartimetest.Affine(c.Neg(p))) != 1 {
				t.Fatalf("entry %d is wrong when negated", i)
			}
			p = c.Add(p, twice)
		}
	}
}

// baseSum is the SHA-256 of g.bin.
const baseSum = "52d7d0a8a553038718865c68194ca467c94bb4accd78b0416f7e5f09c986f3a3"

func TestAllocations(t *testing.T) {
	a, b := vartimetest.Scalar(reference.Lambda()), vartimetest.Scalar(reference.P())
	var p point.Affine
	p.SetGenerator()
	var r point.Jacobian
	if n := testing.AllocsPerRun(10, func() { DoubleScalarMult(&r, a, b, &p) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestArgumentsUntouched(t *testing.T) {
	a, b := vartimetest.Scalar(reference.Lambda()), vartimetest.Scalar(reference.P())
	a0, b0 := *a, *b
	var p point.Affine
	p.SetGenerator()
	p0 := p
	var r point.Jacobian
	DoubleScalarMult(&r, a, b, &p)
	if *a != a0 || *b != b0 || p != p0 {
		t.Fatal("an argument changed")
	}
	if !bytes.Equal([]byte(baseData[:8]), []byte{0x98, 0x17, 0xf8, 0x16, 0x5b, 0x81, 0xf2, 0x59}) {
		t.Fatal("the table does not begin with G")
	}
}

// benchInputs returns n scalars a, n scalars b and n points, so that neither caches nor branch
// predictors adapt to a single input.
func benchInputs(n int) (a, b []*scalar.Scalar, p []*point.Affine) {
	r := rand.New(rand.NewSource(3))
	var acc point.Jacobian
	for range n {
		random := func() *scalar.Scalar {
			var buf [32]byte
			r.Read(buf[:])
			s := new(scalar.Scalar)
			s.SetBytes(&buf)
			return s
		}
		a, b = append(a, random()), append(b, random())
		ScalarBaseMult(&acc, random())
		q := new(point.Affine)
		q.SetJacobianVartime(&acc)
		p = append(p, q)
	}
	return a, b, p
}

func BenchmarkDoubleScalarMult(bm *testing.B) {
	a, b, p := benchInputs(512)
	var r point.Jacobian
	bm.ReportAllocs()
	bm.ResetTimer()
	for i := range bm.N {
		i %= len(a)
		DoubleScalarMult(&r, a[i], b[i], p[i])
	}
}

func BenchmarkScalarMult(bm *testing.B) {
	_, b, p := benchInputs(512)
	var r point.Jacobian
	bm.ReportAllocs()
	bm.ResetTimer()
	for i := range bm.N {
		i %= len(b)
		ScalarMult(&r, b[i], p[i])
	}
}

func BenchmarkScalarBaseMult(bm *testing.B) {
	a, _, _ := benchInputs(512)
	var r point.Jacobian
	bm.ReportAllocs()
	bm.ResetTimer()
	for i := range bm.N {
		ScalarBaseMult(&r, a[i%len(a)])
	}
}
