package vartime

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

func TestSplitTableSize(t *testing.T) {
	p := new(point.Affine).SetGenerator()
	sizes := vartimetest.SplitTableSizes()
	for i, size := range sizes {
		next := math.MaxInt
		if i+1 < len(sizes) {
			next = sizes[i+1]
		}
		for _, maxBytes := range []int{size, size + 1, next - 1} {
			c := NewSplitTable(p, maxBytes)
			if c.Size() != size {
				t.Errorf("at most %d bytes: %d, want %d", maxBytes, c.Size(), size)
			}
			if c.stride > MaxStride || c.stride+1 < c.window || c.window < minSplitWindow {
				t.Errorf("%d bytes: window %d and stride %d", size, c.window, c.stride)
			}
		}
	}
	for _, maxBytes := range []int{math.MinInt, -1, 0, 1, 1<<10 - 1} {
		if c := NewSplitTable(p, maxBytes); c != (SplitTable{}) {
			t.Errorf("a table of %d bytes where there is room for %d", c.Size(), maxBytes)
		}
	}
}

// checkSplitTable compares every entry of c with the multiples of p.
func checkSplitTable(t *testing.T, curve *reference.Curve, c *SplitTable, p reference.Point) {
	t.Helper()
	if c.Size() != subtablesOf(c.stride)*point.PackedSize<<(c.window-2) {
		t.Fatalf("%d bytes with window %d and stride %d", c.Size(), c.window, c.stride)
	}
	entries := c.table
	for subtable := range subtablesOf(c.stride) {
		m := p
		twice := curve.Double(p)
		for i := range 1 << (c.window - 2) {
			var q point.Affine
			q.SetPacked(entries[:point.PackedSize])
			entries = entries[point.PackedSize:]
			if q.Equal(vartimetest.Affine(m)) != 1 {
				t.Fatalf("order %v, window %d, stride %d: entry %d of subtable %d is wrong",
					curve.Order, c.window, c.stride, i, subtable)
			}
			m = curve.Add(m, twice)
		}
		for range c.stride {
			p = curve.Double(p)
		}
	}
}

func TestNewSplitTable(t *testing.T) {
	c := reference.Secp256k1()
	for _, k := range []*big.Int{
		big.NewInt(1), big.NewInt(-1), c.Lambda, big.NewInt(0x123456789abcdef),
	} {
		p := c.ScalarMult(k, c.G)
		for _, size := range vartimetest.SplitTableSizes() {
			split := NewSplitTable(vartimetest.Affine(p), size)
			checkSplitTable(t, c, &split, p)
		}
	}
}

func TestGeneratorSplitTable(t *testing.T) {
	sum := sha256.Sum256([]byte(splitData))
	if got := hex.EncodeToString(sum[:]); got != splitSum {
		t.Errorf("split.bin has SHA-256 %s, want %s", got, splitSum)
	}
	c := reference.Secp256k1()
	g := GeneratorSplitTable()
	checkSplitTable(t, c, &g, c.G)
	if g.stride > MaxStride {
		t.Errorf("stride %d", g.stride)
	}
	// makeSplitTable must compute the same table as gen.go did.
	if made := makeSplitTable(vartimetest.Affine(c.G), g.window, g.stride); made != g {
		t.Error("makeSplitTable makes another table of G")
	}
}

// splitSum is the SHA-256 of split.bin.
const splitSum = "105c7ab89480e046377617506ae0052b188307ba8ce2c30a1c4e1daf719ddcd5"

// TestSplitTablePositions checks that the code finds the subtable and the number of doublings of
// every digit position.
func TestSplitTablePositions(t *testing.T) {
	for stride := 1; stride <= MaxStride; stride++ {
		reciprocal := 1<<16/stride + 1
		for i := range wnaf.Positions {
			if i*reciprocal>>16 != i/stride || i/stride >= subtablesOf(uint(stride)) {
				t.Fatalf("stride %d: position %d in subtable %d", stride, i, i*reciprocal>>16)
			}
		}
	}
}

// TestDoubleScalarMultPrepared checks that DoubleScalarMultPrepared returns the same sum with and
// without a table.
func TestDoubleScalarMultPrepared(t *testing.T) {
	c := reference.Secp256k1()
	var g point.Affine
	g.SetGenerator()
	split := NewSplitTable(&g, 1<<10)
	for _, table := range []*SplitTable{nil, &split} {
		for _, k := range [][2]int64{{0, 0}, {3, 4}, {5, -5}} {
			var r point.Jacobian
			a, b := big.NewInt(k[0]), new(big.Int).Mod(big.NewInt(k[1]), c.Order)
			DoubleScalarMultPrepared(&r, vartimetest.Scalar(a), vartimetest.Scalar(b), &g, table)
			want := c.ScalarMult(a.Mod(a.Add(a, b), c.Order), c.G)
			if !vartimetest.Reference(&r).Equal(want) {
				t.Errorf("%d·G + %d·P is wrong (table: %v)", k[0], k[1], table != nil)
			}
		}
	}
}

// multiplySplitTwice returns a·B + b·P, computed by package point, and whether package parallel
// computes the same sum.
func multiplySplitTwice(
	g *SplitTable, a *scalar.Scalar, c *SplitTable, b *scalar.Scalar,
) (r point.Jacobian, same bool) {
	var inLanes point.Jacobian
	var room [4 * wnaf.MaxDigits]addend
	multiplySplit(&r, room[:0], g, a, c, b, false)
	multiplySplit(&inLanes, room[:0], g, a, c, b, true)
	return r, r.Equal(&inLanes) == 1
}

// testLevels runs a test at the levels with different code for sums with tables.
func testLevels(t *testing.T, test func(t *testing.T)) {
	cputest.Run(t, test, cputest.Portable, cputest.Registers(), cputest.Lanes)
}

func TestSplitTableDoubleScalarMult(t *testing.T) { testLevels(t, testSplitTableDoubleScalarMult) }

func testSplitTableDoubleScalarMult(t *testing.T) {
	c := reference.Secp256k1()
	// check compares the sum with DoubleScalarMult, and every 50th sum also with the reference,
	// which takes a hundred times as long.
	count := 0
	check := func(split *SplitTable, a, b, k *big.Int, p *point.Affine) {
		t.Helper()
		var want point.Jacobian
		DoubleScalarMult(&want, vartimetest.Scalar(a), vartimetest.Scalar(b), p)
		g := GeneratorSplitTable()
		got, ok := multiplySplitTwice(&g, vartimetest.Scalar(a), split, vartimetest.Scalar(b))
		ok = ok && got.Equal(&want) == 1
		if count++; count%50 == 0 {
			e := new(big.Int).Mul(b, k)
			e.Add(e, a).Mod(e, c.Order)
			ok = ok && vartimetest.Reference(&got).Equal(c.ScalarMult(e, c.G))
		}
		if !ok {
			t.Fatalf("%d bytes: %x·G + %x·(%x·G) = %v", split.Size(), a, b, k, vartimetest.Reference(&got))
		}
	}

	// The keys are multiples that the table of G contains, so that some additions meet equal
	// points, opposite points and infinity.
	stride, randomKeys := 7, 40
	if !cputest.Deep() {
		stride, randomKeys = 97, 8
	}
	var keys []*big.Int
	for _, k := range []*big.Int{
		big.NewInt(1), big.NewInt(2), big.NewInt(3),
		big.NewInt(1 << 10), big.NewInt(1 << 17), new(big.Int).Lsh(big.NewInt(1), 120),
		c.Lambda, new(big.Int).Add(c.Lambda, big.NewInt(1)), new(big.Int).Mul(c.Lambda, big.NewInt(3)),
	} {
		keys = append(keys, k, new(big.Int).Neg(k))
	}
	s := vartimetest.Special()
	for n, k := range keys {
		p := vartimetest.Affine(c.ScalarMult(k, c.G))
		for m, size := range vartimetest.SplitTableSizes() {
			if !cputest.Deep() && (n+m)%4 != 0 {
				continue
			}
			split := NewSplitTable(p, size)
			for i, a := range s {
				for j, b := range s {
					if (i+j+n+m)%stride == 0 {
						check(&split, a, b, k, p)
					}
				}
				// a = b·k adds equal points, and a = −b·k gives infinity. Neighbours of these are
				// tried as well.
				b, a := s[(i+n+m)%len(s)], new(big.Int)
				check(&split, a.Mul(b, k), b, k, p)
				check(&split, a.Add(a, big.NewInt(1)), b, k, p)
				a.Mul(b, k)
				check(&split, a.Neg(a), b, k, p)
				var r point.Jacobian
				split.DoubleScalarMult(&r, vartimetest.Scalar(a), vartimetest.Scalar(b))
				if r.IsInfinity() != 1 {
					t.Fatalf("%d bytes, key %x, b = %x: %v, want infinity", size, k, b, vartimetest.Reference(&r))
				}
				check(&split, a.Add(a, big.NewInt(1)), b, k, p)
			}
		}
	}

	r := rand.New(rand.NewSource(2))
	random := func() *big.Int {
		x := reference.RandInt(r)
		return x.Mod(x, c.Order)
	}
	for range randomKeys {
		k := random()
		if k.Sign() == 0 {
			k.SetInt64(1)
		}
		p := vartimetest.Affine(c.ScalarMult(k, c.G))
		for _, size := range vartimetest.SplitTableSizes() {
			split := NewSplitTable(p, size)
			for range 50 {
				check(&split, random(), random(), k, p)
			}
		}
	}
}

// TestSplitTableDigits checks that products by scalars with the maximum number of digits are right.
func TestSplitTableDigits(t *testing.T) {
	c := reference.Secp256k1()
	dense := func(w uint) *big.Int {
		// Each of these halves has a digit at every position that is a multiple of the window w,
		// and 126 bits, so that Split splits the scalar into these halves again.
		x := new(big.Int)
		for i := uint(0); i < 126; i += w {
			x.SetBit(x, int(i), 1)
		}
		k := new(big.Int).Mul(x, c.Lambda)
		return k.Add(k, x)
	}
	k := big.NewInt(77)
	p := vartimetest.Affine(c.ScalarMult(k, c.G))
	g := GeneratorSplitTable()
	for _, size := range vartimetest.SplitTableSizes() {
		split := NewSplitTable(p, size)
		a, b := vartimetest.Scalar(dense(g.window)), vartimetest.Scalar(dense(split.window))
		k1, k2 := b.Split()
		var naf [wnaf.MaxDigits]wnaf.Digit
		n := int(125/split.window) + 1
		if wnaf.Digits(&naf, k1.Hi, k1.Lo, split.window) != n ||
			wnaf.Digits(&naf, k2.Hi, k2.Lo, split.window) != n {
			t.Errorf("window %d: fewer than %d digits", split.window, n)
		}
		var want point.Jacobian
		DoubleScalarMult(&want, a, b, p)
		if got, same := multiplySplitTwice(&g, a, &split, b); !same || got.Equal(&want) != 1 {
			t.Errorf("%d bytes: wrong", size)
		}
	}
}

// TestSplitTableCollisions checks sums of two products by one table of G, whose addends are equal
// or opposite in pairs.
func TestSplitTableCollisions(t *testing.T) { testLevels(t, testSplitTableCollisions) }

func testSplitTableCollisions(t *testing.T) {
	c := reference.Secp256k1()
	g := GeneratorSplitTable()
	scalars := vartimetest.Special()
	r := rand.New(rand.NewSource(3))
	for range 20 {
		scalars = append(scalars, reference.RandInt(r))
	}
	square := new(big.Int).Mul(c.Lambda, c.Lambda)
	for i, a := range scalars {
		for _, f := range []*big.Int{big.NewInt(1), c.Lambda, square} {
			for _, sign := range []int64{1, -1} {
				b := new(big.Int).Mul(a, f)
				b.Mul(b, big.NewInt(sign))
				sum := new(big.Int).Add(a, b)
				got, same := multiplySplitTwice(&g, vartimetest.Scalar(a), &g, vartimetest.Scalar(b))
				var want point.Jacobian
				ScalarMult(&want, vartimetest.Scalar(sum), new(point.Affine).SetGenerator())
				ok := same && got.Equal(&want) == 1
				if i%16 == 0 {
					ok = ok && vartimetest.Reference(&got).Equal(c.ScalarMult(sum.Mod(sum, c.Order), c.G))
				}
				if !ok {
					t.Fatalf("%x·G + %x·G = %v", a, b, vartimetest.Reference(&got))
				}
			}
		}
	}
}

// halvesModulo returns k1 + k2·λ in a small group, for the halves k1 and k2 of k.
func halvesModulo(c *reference.Curve, k *scalar.Scalar) int64 {
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

// TestSplitTableSmallGroups checks that sums are right in groups so small that nearly every
// addition is an exceptional case. It tries every point, tables of every window and stride for
// which the group is large enough, every pair of small scalars, and many scalars of full length.
func TestSplitTableSmallGroups(t *testing.T) {
	type shape struct{ window, stride uint }
	shapes := map[int64][]shape{
		7:   {{3, 10}, {2, 5}, {3, 17}, {3, 33}},
		13:  {{4, 10}, {3, 4}, {4, 17}, {4, 33}},
		199: {{7, 10}, {6, 10}, {6, 17}, {5, 17}, {4, 17}, {4, 33}},
	}
	bases := map[int64]shape{7: {3, 10}, 13: {4, 10}, 199: {8, 10}}
	for _, c := range reference.SmallCurves() {
		order := c.Order.Int64()
		g := makeSplitTable(vartimetest.Affine(c.G), bases[order].window, bases[order].stride)
		checkSplitTable(t, c, &g, c.G)
		var multiples []reference.Point
		for p := (reference.Point{}); len(multiples) < int(order); p = c.Add(p, c.G) {
			multiples = append(multiples, p)
		}
		r := rand.New(rand.NewSource(order))
		room := make([]addend, 4*wnaf.MaxDigits)
		for _, s := range shapes[order] {
			for k := int64(1); k < order; k++ {
				if !cputest.Deep() && k%9 != 1 {
					continue
				}
				p := multiples[k]
				split := makeSplitTable(vartimetest.Affine(p), s.window, s.stride)
				if k < 14 {
					checkSplitTable(t, c, &split, p)
				}
				check := func(a, b *scalar.Scalar) {
					t.Helper()
					e := (halvesModulo(c, a) + halvesModulo(c, b)*k) % order
					var got point.Jacobian
					multiplySplit(&got, room[:0], &g, a, &split, b, false)
					if p := vartimetest.Reference(&got); !p.Equal(multiples[e]) {
						t.Fatalf("order %d, window %d, stride %d: %x·G + %x·(%d·G) = %v, want %d·G",
							order, s.window, s.stride, a.Limbs(), b.Limbs(), k, p, e)
					}
				}
				limit := min(order, 14)
				if order > 14 && k%8 != 1 {
					limit = 3
				}
				for x := range limit {
					for y := range limit {
						check(vartimetest.Scalar(big.NewInt(x)), vartimetest.Scalar(big.NewInt(y)))
					}
				}
				for range 24 {
					check(vartimetest.Scalar(reference.RandInt(r)), vartimetest.Scalar(reference.RandInt(r)))
				}
			}
		}
	}
}

// TestSplitTableShared checks that many goroutines can use one table at the same time.
func TestSplitTableShared(t *testing.T) {
	as, bs, ps := benchInputs(8)
	for _, size := range vartimetest.SplitTableSizes() {
		split := NewSplitTable(ps[0], size)
		before := split
		var wg sync.WaitGroup
		for i := range as {
			wg.Go(func() {
				a0, b0 := *as[i], *bs[i]
				var got, want point.Jacobian
				DoubleScalarMult(&want, as[i], bs[i], ps[0])
				for range 10 {
					split.DoubleScalarMult(&got, as[i], bs[i])
					if got.Equal(&want) != 1 || *as[i] != a0 || *bs[i] != b0 {
						t.Error("wrong, or an argument changed")
					}
				}
			})
		}
		wg.Wait()
		if split != before {
			t.Error("the table changed")
		}
	}
}

func TestSplitTableAllocations(t *testing.T) {
	a, b, p := benchInputs(1)
	for _, size := range vartimetest.SplitTableSizes() {
		split := NewSplitTable(p[0], size)
		var r point.Jacobian
		if n := testing.AllocsPerRun(10, func() { split.DoubleScalarMult(&r, a[0], b[0]) }); n != 0 {
			t.Fatalf("%d bytes: %v allocations", size, n)
		}
	}
}

// FuzzSplitTable checks that sums computed with and without a table are equal. The point is a
// multiple of G or of λ·G, so that the fuzzer can provoke exceptional cases.
func FuzzSplitTable(f *testing.F) {
	f.Add([]byte{1}, []byte{1}, []byte{1}, byte(0))
	f.Add([]byte{0xff, 0xff}, bytes.Repeat([]byte{0xff}, 32), bytes.Repeat([]byte{0x55}, 32), byte(5))
	f.Fuzz(func(t *testing.T, k, a, b []byte, form byte) {
		if len(k) > 8 || len(a) > 32 || len(b) > 32 {
			t.Skip()
		}
		key := vartimetest.Scalar(new(big.Int).SetBytes(k))
		if form&0x80 != 0 {
			key.Mul(key, vartimetest.Scalar(reference.Lambda()))
		}
		if form&0x40 != 0 {
			key.Neg(key)
		}
		var j, want point.Jacobian
		var p point.Affine
		if ScalarBaseMult(&j, key); !p.SetJacobianVartime(&j) {
			t.Skip()
		}
		sizes := vartimetest.SplitTableSizes()
		split := NewSplitTable(&p, sizes[int(form&0x3f)%len(sizes)])
		u, v := vartimetest.Scalar(new(big.Int).SetBytes(a)), vartimetest.Scalar(new(big.Int).SetBytes(b))
		g := GeneratorSplitTable()
		got, same := multiplySplitTwice(&g, u, &split, v)
		DoubleScalarMult(&want, u, v, &p)
		if !same || got.Equal(&want) != 1 {
			t.Errorf("%d bytes: %v, want %v",
				split.Size(), vartimetest.Reference(&got), vartimetest.Reference(&want))
		}
	})
}

// BenchmarkSplitTableDoubleScalarMult uses the tables of 64 keys, one after another.
func BenchmarkSplitTableDoubleScalarMult(bm *testing.B) {
	a, b, p := benchInputs(512)
	for _, size := range vartimetest.SplitTableSizes() {
		bm.Run(fmt.Sprintf("%dKiB", size>>10), func(bm *testing.B) {
			splits := make([]SplitTable, 64)
			for i := range splits {
				splits[i] = NewSplitTable(p[i], size)
			}
			var r point.Jacobian
			bm.ReportAllocs()
			bm.ResetTimer()
			for i := range bm.N {
				splits[i%len(splits)].DoubleScalarMult(&r, a[i%len(a)], b[i%len(b)])
			}
		})
	}
}

func BenchmarkNewSplitTable(bm *testing.B) {
	_, _, p := benchInputs(64)
	for _, size := range vartimetest.SplitTableSizes() {
		bm.Run(fmt.Sprintf("%dKiB", size>>10), func(bm *testing.B) {
			bm.ReportAllocs()
			for i := range bm.N {
				NewSplitTable(p[i%len(p)], size)
			}
		})
	}
}
