package point

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func element(x *big.Int) (v field.Element) {
	l := reference.Words(x)
	return *v.SetLimbs(l[0], l[1], l[2], l[3])
}

func integer(v *field.Element) *big.Int {
	l := v.Limbs()
	return reference.FromWords(l[:]...)
}

func affine(a reference.Point) Affine { return Affine{element(a.X), element(a.Y)} }

// jacobian returns a in Jacobian coordinates with a random denominator, and sometimes with limbs
// that are not canonical.
func jacobian(r *rand.Rand, a reference.Point) (p Jacobian) {
	z := element(reference.RandInt(r))
	if z.IsZero() == 1 {
		z.One()
	}
	if a.IsInfinity() {
		if r.Intn(3) == 0 {
			return p // the zero value: comparing products with Z = 0 proves nothing
		}
		p.X, p.Y = element(reference.RandInt(r)), element(reference.RandInt(r))
		if r.Intn(2) == 0 {
			p.Z = element(reference.P()) // p is the other representation of 0
		}
		return p
	}
	f := affine(a)
	var zz field.Element
	zz.Square(&z)
	p.X.Mul(&f.X, &zz)
	zz.Mul(&zz, &z)
	p.Y.Mul(&f.Y, &zz)
	p.Z = z
	return p
}

func toReference(p *Jacobian) reference.Point {
	var a Affine
	if !a.SetJacobian(p).Bool() {
		return reference.Point{}
	}
	return reference.Point{X: integer(&a.X), Y: integer(&a.Y)}
}

// TestAdditions checks that every addition function gives the reference's sum for every pair of
// points of the small groups, and for neighbouring multiples of G on secp256k1.
func TestAdditions(t *testing.T) {
	for _, c := range reference.Curves() {
		r := rand.New(rand.NewSource(2))
		ps := c.Points()
		for i, p := range ps {
			for _, q := range ps {
				if len(ps) > 100 && !cputest.Deep() && i%10 != 0 {
					continue
				}
				want := c.Add(p, q)
				pj, qj := jacobian(r, p), jacobian(r, q)
				check := func(name string, op func(v, p, q *Jacobian)) {
					t.Helper()
					for receiver := range 3 {
						all := [3]Jacobian{{}, pj, qj}
						op(&all[receiver], &all[1], &all[2])
						if got := toReference(&all[receiver]); !got.Equal(want) {
							t.Fatalf("order %v, receiver %d: %s(%v, %v) = %v, want %v",
								c.Order, receiver, name, p, q, got, want)
						}
					}
				}
				check("AddVartime", func(v, p, q *Jacobian) { v.AddVartime(p, q) })
				check("Add", func(v, p, q *Jacobian) { v.Add(p, q) })

				if got := pj.Equal(&qj).Bool(); got != p.Equal(q) {
					t.Fatalf("order %v: Equal(%v, %v) = %v", c.Order, p, q, got)
				}
				if q.IsInfinity() {
					continue
				}
				qa := affine(q)
				check("AddMixedVartime", func(v, p, _ *Jacobian) { v.AddMixedVartime(p, &qa) })
				check("AddMixed", func(v, p, _ *Jacobian) { v.AddMixed(p, &qa) })
				if !p.IsInfinity() && !p.Equal(q) {
					check("AddMixedIncomplete", func(v, p, _ *Jacobian) { v.AddMixedIncomplete(p, &qa) })
				}
				s := element(reference.RandInt(r))
				if s.IsZero() == 1 {
					s.One()
				}
				check("AddScaledVartime", func(v, p, _ *Jacobian) {
					// On the isomorphic curve of AddScaledVartime, p is (X, Y, Z/s).
					var si field.Element
					si.Invert(&s)
					*v = *p
					v.Z.Mul(&v.Z, &si)
					v.AddScaledVartime(v, &qa, &s)
					v.Z.Mul(&v.Z, &s)
				})

				wantX := !p.IsInfinity() && p.X.Cmp(q.X) == 0
				if got := pj.EqualX(&qa.X).Bool(); got != wantX {
					t.Fatalf("order %v: EqualX(%v, %v) = %v", c.Order, p, q, got)
				}
				if !p.IsInfinity() {
					pa := affine(p)
					if got := pa.Equal(&qa).Bool(); got != p.Equal(q) {
						t.Fatalf("order %v: affine Equal(%v, %v) = %v", c.Order, p, q, got)
					}
				}
			}
		}
	}
}

func TestUnary(t *testing.T) {
	for _, c := range reference.Curves() {
		r := rand.New(rand.NewSource(3))
		for _, p := range c.Points() {
			pj := jacobian(r, p)
			check := func(name string, want reference.Point, op func(v, p *Jacobian) *Jacobian) {
				t.Helper()
				var v Jacobian
				if op(&v, &pj) != &v {
					t.Fatalf("%s does not return its receiver", name)
				}
				if got := toReference(&v); !got.Equal(want) {
					t.Fatalf("order %v: %s(%v) = %v, want %v", c.Order, name, p, got, want)
				}
				v = pj
				op(&v, &v)
				if got := toReference(&v); !got.Equal(want) {
					t.Fatalf("order %v: %s in place is wrong", c.Order, name)
				}
			}
			check("Double", c.Double(p), (*Jacobian).Double)
			check("Neg", c.Neg(p), (*Jacobian).Neg)
			check("Set", p, (*Jacobian).Set)
			check("MulBeta", c.MulBeta(p), (*Jacobian).MulBeta)
			check("CondNeg 0", p, func(v, p *Jacobian) *Jacobian { return v.CondNeg(p, 0) })
			check("CondNeg 1", c.Neg(p), func(v, p *Jacobian) *Jacobian { return v.CondNeg(p, 1) })
			other := jacobian(r, c.G)
			check("Select 0", c.G, func(v, p *Jacobian) *Jacobian { return v.Select(0, p, &other) })
			check("Select 1", p, func(v, p *Jacobian) *Jacobian { return v.Select(1, p, &other) })
			if pj.IsInfinity().Bool() != p.IsInfinity() {
				t.Fatalf("IsInfinity(%v)", p)
			}
			var a, a2 Affine
			if a.SetJacobian(&pj).Bool() == p.IsInfinity() ||
				a2.SetJacobianVartime(&pj) == p.IsInfinity() || a != a2 {
				t.Fatalf("SetJacobian(%v)", p)
			}
			// The scalar is 0, 1, n - 1 or random, so that either inverse may be that of 0.
			var k, inverse scalar.Scalar
			switch r.Intn(4) {
			case 1:
				k.One()
			case 2:
				k.One().Neg(&k)
			case 3:
				k.SetUint64(r.Uint64()).Square(&k).Square(&k)
			}
			inverse.Invert(&k)
			if a2.SetJacobianInvert(&pj, &k).Bool() == p.IsInfinity() || a2 != a || k != inverse {
				t.Fatalf("SetJacobianInvert(%v)", p)
			}
			if p.IsInfinity() {
				continue
			}
			b := uint64(c.B.Int64())
			if a.isOnCurve(b) != 1 {
				t.Fatalf("%v is not on its curve", p)
			}
			bad := a
			bad.X.Add(&bad.X, new(field.Element).One())
			if bad.isOnCurve(b) == 1 &&
				!c.IsOnCurve(reference.Point{X: integer(&bad.X), Y: integer(&bad.Y)}) {
				t.Fatalf("%v is taken for a point", bad)
			}
			for odd := range ct.Choice(2) {
				var l Affine
				if l.liftX(&a.X, odd, b, odd == 0) != 1 {
					t.Fatalf("order %v: %v is not lifted", c.Order, p)
				}
				want, ok := c.LiftX(p.X, odd == 1)
				if !ok || integer(&l.Y).Cmp(want.Y) != 0 || integer(&l.X).Cmp(p.X) != 0 {
					t.Fatalf("order %v: lift of %v with parity %d", c.Order, p, odd)
				}
			}
			var n Affine
			if n.Neg(&a).isOnCurve(b) != 1 || n.Y.IsOdd() == a.Y.IsOdd() ||
				n.CondNeg(&n, 1).Equal(&a) != 1 || n.CondNeg(&n, 0).Equal(&a) != 1 {
				t.Fatalf("affine Neg(%v)", p)
			}
			want := c.MulBeta(p)
			if n.MulBeta(&a); integer(&n.X).Cmp(want.X) != 0 {
				t.Fatalf("affine MulBeta(%v)", p)
			}
			if n.Select(1, &a, &n).Equal(&a) != 1 || n.Select(0, &bad, &a).Equal(&a) != 1 {
				t.Fatalf("affine Select(%v)", p)
			}
		}
	}
}

// TestLiftX checks all functions that compute a point from its x coordinate.
func TestLiftX(t *testing.T) {
	c := reference.Secp256k1()
	r := rand.New(rand.NewSource(4))
	xs := reference.EdgeInts()
	for range 300 {
		xs = append(xs, reference.RandInt(r))
	}
	for i, x := range xs {
		odd, b := ct.Choice(i&1), [32]byte(x.FillBytes(make([]byte, 32)))
		want, wantOK := c.LiftX(x, odd == 1)
		var a Affine
		inField, onCurve := a.LiftXBytesVartime(&b, odd)
		if inField != (x.Cmp(reference.P()) < 0) || onCurve != wantOK {
			t.Errorf("%x: in the field: %v, on the curve: %v", b, inField, onCurve)
		}
		if wantOK && (integer(&a.X).Cmp(want.X) != 0 || integer(&a.Y).Cmp(want.Y) != 0) {
			t.Errorf("%x: y = %x, want %x", b, integer(&a.Y), want.Y)
		}
		// The other functions accept an x that is not canonical.
		fx := element(x)
		ok := a.LiftX(&fx, odd).Bool()
		var v Affine
		if v.LiftXVartime(&fx, odd).Bool() != ok || v.Equal(&a) == 0 {
			t.Fatalf("LiftXVartime(%x) is another point", x)
		}
		want, wantOK = c.LiftX(new(big.Int).Mod(x, reference.P()), odd == 1)
		if ok != wantOK || ok && (integer(&a.Y).Cmp(want.Y) != 0 || a.IsOnCurve() != 1) {
			t.Fatalf("LiftX(%x) = %v, y = %x", x, ok, integer(&a.Y))
		}
	}
}

func TestGenerator(t *testing.T) {
	var g Affine
	g.SetGenerator()
	if integer(&g.X).Cmp(reference.Gx()) != 0 || integer(&g.Y).Cmp(reference.Gy()) != 0 ||
		g.IsOnCurve() != 1 {
		t.Fatal("the generator is wrong")
	}
}

// TestBatchToAffineVartime checks that every point of a batch is converted correctly. It converts
// batches of random points, and all points of each small group in one batch. Infinity is at the
// beginning, in the middle and at the end of batches.
func TestBatchToAffineVartime(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for _, c := range reference.Curves() {
		ps := c.Points()
		batches := [][]reference.Point{
			ps,
			append(append([]reference.Point(nil), ps...), ps[0]),
			append(append([]reference.Point(nil), ps[1:]...), ps...),
		}
		for _, n := range []int{0, 1, 2, 3, 8, 31, 64} {
			batch := make([]reference.Point, n)
			for i := range batch {
				batch[i] = ps[r.Intn(len(ps))]
			}
			batches = append(batches, batch)
		}
		for _, batch := range batches {
			n := len(batch)
			src, dst := make([]Jacobian, n), make([]Affine, n)
			for i := range src {
				src[i] = jacobian(r, batch[i])
			}
			before := append([]Jacobian(nil), src...)
			BatchToAffineVartime(dst, src)
			for i := range src {
				if src[i] != before[i] {
					t.Fatal("the source changed")
				}
				var want Affine // (0, 0) for infinity
				if p := batch[i]; !p.IsInfinity() {
					want = affine(p)
				}
				if dst[i] != want {
					t.Fatalf("order %v: point %d of %d is wrong", c.Order, i, n)
				}
			}
		}
	}
	src, dst := make([]Jacobian, 64), make([]Affine, 64)
	if n := testing.AllocsPerRun(10, func() { BatchToAffineVartime(dst, src) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// TestOddMultiples checks that tables hold the right odd multiples. It builds tables of every
// length whose multiples are all finite, for all points of the small groups. For the largest group
// it tries only every ninth point.
func TestOddMultiples(t *testing.T) {
	for _, c := range reference.Curves() {
		ps := c.Points()
		for n := 1; n <= maxOddMultiples; n++ {
			if c.Order.Cmp(big.NewInt(int64(2*n))) <= 0 {
				continue
			}
			for j, p := range ps {
				if p.IsInfinity() || len(ps) > 100 && j%9 != n%9 {
					continue
				}
				table := make([]Affine, n)
				var z field.Element
				a := affine(p)
				before := a
				OddMultiples(table, &z, &a)
				if a != before {
					t.Fatal("the point changed")
				}
				want, twice := p, c.Double(p)
				for i := range table {
					got := toReference(&Jacobian{X: table[i].X, Y: table[i].Y, Z: z})
					if !got.Equal(want) {
						t.Fatalf("order %v: entry %d of %d is wrong", c.Order, i, n)
					}
					want = c.Add(want, twice)
				}
			}
		}
	}
}

func TestWipe(t *testing.T) {
	var a Affine
	var p Jacobian
	p.SetAffine(a.SetGenerator())
	a.Wipe()
	p.Wipe()
	if a != (Affine{}) || p != (Jacobian{}) {
		t.Fatal("not wiped")
	}
}
