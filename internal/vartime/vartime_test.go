package vartime

import (
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

// A factor is a point k·G, and tables of it.
type factor struct {
	k      *big.Int
	p      point.Affine
	tables []SplitTable
}

// newFactor returns k·G with a table of each given size. If k is 1, it also has the table of G.
func newFactor(k *big.Int, sizes ...int) *factor {
	c := reference.Secp256k1()
	k = new(big.Int).Mod(k, c.Order)
	f := &factor{k: k, p: *vartimetest.Affine(c.ScalarMult(k, c.G))}
	for _, size := range sizes {
		f.tables = append(f.tables, NewSplitTable(&f.p, size))
	}
	if k.Cmp(big.NewInt(1)) == 0 {
		f.tables = append(f.tables, GeneratorSplitTable())
	}
	return f
}

// check fails the test unless each way to compute a·G + b·P gives the same sum. With exact, it also
// compares the sum with that of package reference, which takes a hundred times as long.
func (f *factor) check(t *testing.T, x, y *big.Int, exact bool) {
	t.Helper()
	g, gs := GeneratorTable(), GeneratorSplitTable()
	a, b, none := vartimetest.Scalar(x), vartimetest.Scalar(y), new(scalar.Scalar)
	log := new(big.Int).Mul(y, f.k)
	log.Add(log, x).Mod(log, reference.N())
	var want, base, product, sum point.Jacobian
	multiply(&want, a, b, &f.p, &g, window)
	if c := reference.Secp256k1(); exact {
		if got := vartimetest.Reference(&want); !got.Equal(c.ScalarMult(log, c.G)) {
			t.Fatalf("%x·G + %x·(%x·G) = %v", x, y, f.k, got)
		}
	}
	equal := func(what string, got *point.Jacobian) {
		t.Helper()
		if !got.Equal(&want).Bool() {
			t.Fatalf("%s: %x·G + %x·(%x·G) = %v, want %v", what, x, y, f.k,
				vartimetest.Reference(got), vartimetest.Reference(&want))
		}
	}
	multiplyParallel(&sum, a, b, &f.p, &g)
	equal("multiplyParallel", &sum)
	DoubleScalarMult(&sum, a, b, &f.p)
	equal("DoubleScalarMult", &sum)
	DoubleScalarMultPrepared(&sum, a, b, &f.p, nil)
	equal("without a table", &sum)
	ScalarBaseMult(&base, a)
	ScalarMult(&product, b, &f.p)
	sum.AddVartime(&base, &product)
	equal("ScalarBaseMult and ScalarMult", &sum)
	ScalarBaseMult(&sum, vartimetest.Scalar(log))
	equal("ScalarBaseMult of the sum", &sum)
	for i := range f.tables {
		c := &f.tables[i]
		for _, inLanes := range []bool{false, true} {
			multiplySplit(&sum, &gs, a, c, b, inLanes)
			equal("multiplySplit", &sum)
		}
		c.DoubleScalarMult(&sum, a, b)
		equal("with a table", &sum)
		multiplySplit(&sum, c, b, nil, none, false)
		sum.AddVartime(&base, &sum)
		equal("with the table alone", &sum)
	}
}

// dense returns a scalar x + x·λ for each window w of a table. x is the number below 2^126 with a
// one at every position that is a multiple of w. Split cuts the scalar into halves with as many
// digits as x has ones.
func dense(t *testing.T) (all []*big.Int) {
	for _, w := range []uint{4, 5, 6, 7, splitBaseWindow, BaseWindow} {
		x := new(big.Int)
		for i := uint(0); i < 126; i += w {
			x.SetBit(x, int(i), 1)
		}
		k := new(big.Int).Mul(x, reference.Lambda())
		all = append(all, k.Add(k, x))
		k1, k2 := vartimetest.Scalar(k).Split()
		var naf [wnaf.MaxDigits]wnaf.Digit
		n := int(125/w) + 1
		if wnaf.Digits(&naf, k1.Hi, k1.Lo, w) != n || wnaf.Digits(&naf, k2.Hi, k2.Lo, w) != n {
			t.Errorf("window %d: fewer than %d digits", w, n)
		}
	}
	return all
}

// TestMultiply checks all ways to compute a·G + b·P. Besides random points, the points P are
// multiples of G with which some additions meet equal points, opposite points and infinity.
func TestMultiply(t *testing.T) {
	cputest.Run(t, testMultiply, cputest.Portable, cputest.Registers(), cputest.LanesAVXIFMA,
		cputest.Lanes)
}

func testMultiply(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	lambda, one := reference.Lambda(), big.NewInt(1)
	scalars := append(vartimetest.Special(), dense(t)...)
	edges := append(reference.EdgeInts(), scalars...)
	stride, randomKeys := 7, 40
	if !cputest.Deep() {
		stride, randomKeys = 97, 8
	}
	sizes := vartimetest.SplitTableSizes()
	g := newFactor(one)
	for i, x := range edges {
		g.check(t, x, new(big.Int), true)
		// With the table of G for both products, addends are equal or opposite in pairs.
		for power := range 3 {
			y := new(big.Int).Exp(lambda, big.NewInt(int64(power)), reference.N())
			y.Mul(y, x)
			g.check(t, x, y, i%16 == 0)
			g.check(t, x, y.Neg(y), i%16 == 0)
		}
	}
	for n, k := range []*big.Int{
		one, big.NewInt(2), big.NewInt(3), big.NewInt(1 << 10), big.NewInt(1 << 17),
		new(big.Int).Lsh(one, 120), lambda, new(big.Int).Add(lambda, one),
		new(big.Int).Mul(lambda, big.NewInt(3)),
	} {
		for sign := range 2 {
			f := newFactor(k, sizes[(2*n+sign)%len(sizes)])
			if cputest.Deep() {
				f = newFactor(k, sizes...)
			}
			for i, a := range scalars {
				for j, b := range scalars {
					if (i+j+n+sign)%stride == 0 {
						f.check(t, a, b, (i*len(scalars)+j)%50 == 0)
					}
				}
				if (i+n)%2 == sign && !cputest.Deep() {
					continue
				}
				// a = b·k adds equal points, and a = −b·k gives infinity. Neighbours of these are
				// tried as well.
				product := new(big.Int).Mul(a, k)
				for _, x := range []*big.Int{product, new(big.Int).Neg(product)} {
					f.check(t, x, a, i%50 == 0)
					f.check(t, x.Add(x, one), a, false)
				}
			}
			k = new(big.Int).Neg(k)
		}
	}
	random := func() *big.Int { return reference.RandInt(r) }
	for range randomKeys {
		f := newFactor(new(big.Int).Or(random(), one), sizes...)
		for i := range 50 {
			f.check(t, random(), random(), i%10 == 0)
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

// TestSmallGroups checks that sums a·B + b·P are right in groups so small that nearly every
// addition is an exceptional case. It tries every point without a table and with tables of every
// window and stride for which the group is large enough, every pair of small scalars, and many
// scalars of full length. Scalars are split as on secp256k1, and the expected sum is computed from
// the resulting halves.
func TestSmallGroups(t *testing.T) {
	type tableShape struct{ window, stride uint }
	shapes := map[int64][]tableShape{
		7:   {{3, 10}, {2, 5}, {3, 17}, {3, 33}},
		13:  {{4, 10}, {3, 4}, {4, 17}, {4, 33}},
		199: {{7, 10}, {6, 10}, {6, 17}, {5, 17}, {4, 17}, {4, 33}},
	}
	bases := map[int64]tableShape{7: {3, 10}, 13: {4, 10}, 199: {8, 10}}
	for _, c := range reference.SmallCurves() {
		order := c.Order.Int64()
		shape := bases[order]
		base := makeSplitTable(vartimetest.Affine(c.G), shape.window, wnaf.Positions)
		g := makeSplitTable(vartimetest.Affine(c.G), shape.window, shape.stride)
		checkSplitTable(t, c, &base, c.G)
		checkSplitTable(t, c, &g, c.G)
		var multiples []reference.Point
		for p := (reference.Point{}); len(multiples) < int(order); p = c.Add(p, c.G) {
			multiples = append(multiples, p)
		}
		r := rand.New(rand.NewSource(order))
		for k := int64(1); k < order; k++ {
			if !cputest.Deep() && k%9 != 1 {
				continue
			}
			p := vartimetest.Affine(multiples[k])
			var tables []SplitTable
			for _, s := range shapes[order] {
				tables = append(tables, makeSplitTable(p, s.window, s.stride))
				if k < 14 {
					checkSplitTable(t, c, &tables[len(tables)-1], multiples[k])
				}
			}
			check := func(x, y *big.Int) {
				t.Helper()
				a, b := vartimetest.Scalar(x), vartimetest.Scalar(y)
				want := multiples[(halvesModulo(c, a)+halvesModulo(c, b)*k)%order]
				var got point.Jacobian
				multiply(&got, a, b, p, &base, min(uint(window), shape.window))
				if q := vartimetest.Reference(&got); !q.Equal(want) {
					t.Fatalf("order %d: %x·G + %x·(%d·G) = %v, want %v", order, a.Limbs(), b.Limbs(), k,
						q, want)
				}
				for i := range tables {
					multiplySplit(&got, &g, a, &tables[i], b, false)
					if q := vartimetest.Reference(&got); !q.Equal(want) {
						t.Fatalf("order %d, shape %v: %x·G + %x·(%d·G) = %v, want %v", order,
							shapes[order][i], a.Limbs(), b.Limbs(), k, q, want)
					}
				}
			}
			limit := min(order, 14)
			for x := range limit {
				for y := range limit {
					check(big.NewInt(x), big.NewInt(y))
				}
			}
			for range 24 {
				check(reference.RandInt(r), reference.RandInt(r))
			}
		}
	}
}

// TestConcurrently checks that multiplications allocate nothing and leave their arguments
// unchanged, and that several goroutines can use one table at the same time.
func TestConcurrently(t *testing.T) {
	a, b := vartimetest.Scalar(reference.Lambda()), vartimetest.Scalar(reference.P())
	a0, b0 := *a, *b
	f := newFactor(big.NewInt(77), vartimetest.SplitTableSizes()...)
	p := f.p
	f.tables = append([]SplitTable{{}}, f.tables...)
	var want point.Jacobian
	DoubleScalarMult(&want, a, b, &f.p)
	for i := range f.tables {
		c := &f.tables[i]
		table := *c
		multiply := func() {
			var r point.Jacobian
			if i == 0 {
				DoubleScalarMult(&r, a, b, &f.p)
			} else {
				c.DoubleScalarMult(&r, a, b)
			}
			if !r.Equal(&want).Bool() {
				t.Error("another sum")
			}
		}
		if n := testing.AllocsPerRun(10, multiply); n != 0 {
			t.Errorf("%d bytes: %v allocations", c.Size(), n)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(multiply)
		}
		wg.Wait()
		if *a != a0 || *b != b0 || f.p != p || *c != table {
			t.Errorf("%d bytes: an argument changed", c.Size())
		}
	}
}
