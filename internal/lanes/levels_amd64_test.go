//go:build !purego

package lanes

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestEveryLevel runs the tests again without the CPU's best instructions, which all other runs
// use. TestLevelsAgree compares the results.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		if Available() {
			t.Fatal("lanes without features")
		}
		testAll(t)
	}, cputest.Portable)
	cputest.Run(t, testAll, cputest.LanesAVX2, cputest.LanesAVXIFMA, cputest.LanesFMA)
}

func testAll(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"Operations", TestOperations},
		{"OneLane", TestOneLane},
		{"MulAdd", TestMulAdd},
		{"Normalize", TestNormalize},
		{"IsZero", TestIsZero},
		{"Select", TestSelect},
		{"SquareNPair", TestSquareNPair},
		{"SqrtPair", TestSqrtPair},
		{"SqrtRatioPair", TestSqrtRatioPair},
		{"InvertLanes", TestInvertLanes},
		{"Rows", TestRows},
		{"Additions", TestAdditions},
		{"DoubleN", TestDoubleN},
		{"Denominators", TestDenominators},
		{"AddAffineIncomplete", TestAddAffine},
		{"CoZ", TestCoZ},
		{"RareLimbs", TestRareLimbs},
		{"Affine", TestAffine},
		{"Scalar", TestScalar},
		{"ScalarProducts", TestScalarProducts},
		{"ScalarAbove", TestScalarAbove},
		{"BatchInvertScalars", TestBatchInvertScalars},
		{"DivideScalars", TestDivideScalars},
		{"MulScalars", TestMulScalars},
		{"SplitOdd", TestSplitOdd},
		{"SplitOddExtremes", TestSplitOddExtremes},
	} {
		t.Run(test.name, test.run)
	}
}

// TestFeatures removes each extension that the kernels of the lowest level use, one at a time, and
// checks that lanes are then unavailable.
func TestFeatures(t *testing.T) {
	cputest.Use(t, cputest.LanesAVX2)
	for f := cpu.Feature(1); f != 0 && f <= cpu.Lanes; f <<= 1 {
		restore := cpu.Restrict(^f)
		if want := f&cpu.LanesAVX2 == 0; Available() != want {
			t.Errorf("without feature %b: %v", f, Available())
		}
		restore()
	}
}

// TestLevelsAgree checks that the kernels and the portable version return reduced limbs that
// represent the same residues, on limbs of every kind.
func TestLevelsAgree(t *testing.T) {
	cputest.Run(t, testLevelsAgree, cputest.AllLanes()...)
}

func testLevelsAgree(t *testing.T) {
	r := random(t)
	all := shapes()
	pick := func() Element {
		return elementOf(func(int) limbs {
			if r.Intn(2) == 0 {
				return all[r.Intn(len(all))]
			}
			return randomLimbs(r)
		})
	}
	same := func(name string, got, want *Element) {
		t.Helper()
		if !isReduced(got) {
			t.Fatalf("%s: %x is not reduced", name, *got)
		}
		var g, w Element
		normalizeGeneric(&g, got)
		normalizeGeneric(&w, want)
		if g != w {
			t.Fatalf("%s: %x, want %x", name, g, w)
		}
	}
	samePoint := func(name string, got, want *Jacobian) {
		t.Helper()
		same(name+" X", &got.X, &want.X)
		same(name+" Y", &got.Y, &want.Y)
		same(name+" Z", &got.Z, &want.Z)
	}
	sameCoZ := func(got, want *CoZ) {
		t.Helper()
		same("sum X", &got.Sum.X, &want.Sum.X)
		same("sum Y", &got.Sum.Y, &want.Sum.Y)
		same("addend X", &got.Addend.X, &want.Addend.X)
		same("addend Y", &got.Addend.Y, &want.Addend.Y)
		same("ratio", &got.Ratio, &want.Ratio)
	}
	rounds := 10000
	if !cputest.Deep() {
		rounds = 500
	}
	for range rounds {
		a, b, c, d := pick(), pick(), pick(), pick()
		n, k, m := 1+r.Intn(4), uint64(r.Intn(17)), maskOf(r.Int())
		var v, w Element
		mul(&v, &a, &b)
		mulGeneric(&w, &a, &b)
		same("mul", &v, &w)
		squareN(&v, &a, n)
		squareNGeneric(&w, &a, n)
		same("squareN", &v, &w)
		x, y := [2]Element{a, b}, [2]Element{}
		squareNPair(&y, &x, n)
		squareNPairGeneric(&x, &x, n)
		same("squareNPair", &y[0], &x[0])
		same("squareNPair", &y[1], &x[1])
		add(&v, &a, &b)
		addGeneric(&w, &a, &b)
		same("add", &v, &w)
		sub(&v, &a, &b)
		subGeneric(&w, &a, &b)
		same("sub", &v, &w)
		mulSmall(&v, &a, k)
		mulSmallGeneric(&w, &a, k)
		same("mulSmall", &v, &w)
		condNeg(&v, m, &a)
		condNegGeneric(&w, m, &a)
		same("condNeg", &v, &w)
		normalize(&v, &a)
		if normalizeGeneric(&w, &a); v != w {
			t.Fatalf("normalize: %x, want %x", v, w)
		}
		selectLanes(&v, m, &a, &b)
		if selectLanesGeneric(&w, m, &a, &b); v != w {
			t.Fatalf("select: %x, want %x", v, w)
		}
		if g, w := isZero(&a), isZeroGeneric(&a); g != w {
			t.Fatalf("isZero: %08b, want %08b", g, w)
		}

		p, q := Jacobian{a, b, c}, Jacobian{d, pick(), pick()}
		p0, q0 := p, q
		s, u := Affine{a, b}, Affine{c, d}
		var g, h Jacobian
		doubleN(&g, &p, n)
		doubleNGeneric(&h, &p, n)
		samePoint("double", &g, &h)
		addMixed(&g, &p, &u)
		addMixedGeneric(&h, &p, &u)
		samePoint("mixed", &g, &h)
		addJacobian(&g, &p, &q)
		addJacobianGeneric(&h, &p, &q)
		samePoint("full", &g, &h)
		var i, j Affine
		addAffine(&i, &s, &u, &q.Y)
		addAffineGeneric(&j, &s, &u, &q.Y)
		same("affine X", &i.X, &j.X)
		same("affine Y", &i.Y, &j.Y)
		var k0, k1 CoZ
		addCoZ(&k0, &s, &u)
		addCoZGeneric(&k1, &s, &u)
		sameCoZ(&k0, &k1)
		k2 := CoZ{Sum: s, Addend: u}
		addCoZ(&k2, &k2.Sum, &k2.Addend)
		sameCoZ(&k2, &k1)
		if p != p0 || q != q0 || s != (Affine{a, b}) || u != (Affine{c, d}) {
			t.Fatal("an argument has changed")
		}
		addMixed(&p, &p, &u)
		addMixedGeneric(&p0, &p0, &u)
		samePoint("mixed in place", &p, &p0)
		addJacobian(&q, &g, &q)
		addJacobianGeneric(&q0, &g, &q0)
		samePoint("full in place", &q, &q0)

		var rows, back, want [Width][8]uint64
		for j := range rows {
			for k := range rows[j] {
				rows[j][k] = r.Uint64() | -uint64(r.Intn(2))
			}
		}
		unpack(&i, &rows)
		if unpackGeneric(&j, &rows); i != j {
			t.Fatalf("unpack: %x, want %x", i, j)
		}
		pack(&back, &s)
		if packGeneric(&want, &s); back != want {
			t.Fatalf("pack: %x, want %x", back, want)
		}

		e, _ := randomScalar(r)
		f, _ := randomScalar(r)
		var o, z Scalar
		mulScalar(&o, &e, &f)
		if mulScalarGeneric(&z, &e, &f); o != z {
			t.Fatalf("scalars: %x, want %x", o, z)
		}

		// If a quotient of the split is near an integer, the kernel and the portable version may
		// round it differently. Random scalars do not have such quotients.
		var ks [Width]scalar.Scalar
		for j := range ks {
			ks[j].SetLimbs(&[4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
		}
		var s1, s2, t1, t2 [3]Vector
		l := MinSplitBits + uint(r.Intn(64))
		SplitOdd(&s1, &s2, &ks, l)
		if splitOddGeneric(&t1, &t2, &ks, 1<<(l-MinSplitBits)); s1 != t1 || s2 != t2 {
			t.Fatalf("split of %x in %d bits: %x and %x, want %x and %x", ks, l, s1, s2, t1, t2)
		}
	}
}

// TestManyProducts checks that products are right modulo p for factors that are likely to cause
// rare carries: combinations of the smallest and largest limbs, and factors whose product is near a
// multiple of p.
func TestManyProducts(t *testing.T) {
	r := random(t)
	rounds := 20000
	if !cputest.Deep() {
		rounds = 200
	}
	if !Available() {
		rounds = 200
	}
	for range rounds {
		a := randomElement(r)
		near := big.NewInt(int64(r.Intn(100)))
		b := elementOf(func(j int) limbs { // b is (a number near 0)/a
			x := a.get(j).int()
			if x.ModInverse(x, prime) == nil {
				return limbs{}
			}
			x.Mul(x, near).Mod(x, prime)
			if r.Intn(2) == 0 {
				x.Add(x, prime)
			}
			return toLimbs(x)
		})
		var v Element
		v.Mul(&a, &b)
		checkLanes(t, "product", &v, func(j int) *big.Int {
			return new(big.Int).Mul(a.get(j).int(), b.get(j).int())
		})
		normalize(&v, &v)
		if !isCanonical(&v) {
			t.Fatalf("%x is not canonical", v)
		}
	}
}
