package lanes

import (
	"math/big"
	"math/rand"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// setPoint sets lane j of p to a over a random denominator, in limbs of any kind. If a is infinity,
// X and Y are random or zero, and Z is any representation of zero.
func (p *Jacobian) setPoint(r *rand.Rand, j int, a reference.Point) {
	z := new(big.Int).Mod(reference.RandInt(r), prime)
	if z.Sign() == 0 {
		z.SetInt64(1)
	}
	x, y := reference.RandInt(r), reference.RandInt(r)
	if a.IsInfinity() {
		z.SetInt64(0)
		if r.Intn(3) == 0 {
			x.SetInt64(0)
			y.SetInt64(0)
		}
	} else {
		zz := new(big.Int).Mul(z, z)
		x = new(big.Int).Mul(a.X, zz)
		y = new(big.Int).Mul(a.Y, zz.Mul(zz, z))
	}
	p.X.setInt(r, j, x)
	p.Y.setInt(r, j, y)
	p.Z.setInt(r, j, z)
}

// setInt sets lane j of v to a random one of the reduced representations of x modulo p.
func (v *Element) setInt(r *rand.Rand, j int, x *big.Int) {
	x = new(big.Int).Mod(x, prime)
	x.Add(x, new(big.Int).Mul(prime, big.NewInt(int64(r.Intn(2)))))
	e := toLimbs(x)
	v.put(j, &e)
}

func (a *Affine) setPoint(r *rand.Rand, j int, p reference.Point) {
	a.X.setInt(r, j, p.X)
	a.Y.setInt(r, j, p.Y)
}

// pointOf returns the point in lane j of p.
func pointOf(p *Jacobian, j int) reference.Point {
	z := p.Z.get(j).int()
	if z.ModInverse(z, prime) == nil {
		return reference.Point{}
	}
	return reference.Point{X: product(p.X.get(j).int(), z, z), Y: product(p.Y.get(j).int(), z, z, z)}
}

func affineOf(a *Affine, j int) reference.Point {
	var x, y field.Element
	a.Lane(j, &x, &y)
	return reference.Point{X: fromField(&x), Y: fromField(&y)}
}

func reducedPoint(p *Jacobian) bool {
	return isReduced(&p.X) && isReduced(&p.Y) && isReduced(&p.Z)
}

// pointsOf returns all points of a small group. For secp256k1 it returns a set of
// points with many pairs whose sums are exceptional cases.
func pointsOf(c *reference.Curve) []reference.Point {
	var ps []reference.Point
	if c.Order.BitLen() < 20 {
		var p reference.Point
		for range c.Order.Int64() {
			ps = append(ps, p)
			p = c.Add(p, c.G)
		}
		return ps
	}
	for k := int64(-6); k <= 6; k++ {
		ps = append(ps, c.ScalarMult(big.NewInt(k), c.G))
	}
	for _, p := range ps[7:9] {
		ps = append(ps, c.MulBeta(p), c.Neg(c.MulBeta(p)))
	}
	return ps
}

// curves returns the curves of the tests, which it computes only once.
var curves = sync.OnceValue(func() []*reference.Curve {
	return append(reference.SmallCurves(), reference.Secp256k1())
})

// TestAdditions checks that pairs of points in one lane have the right sum, with other pairs in all
// other lanes. The pairs are all pairs of the small groups (for the largest of them, only the
// exceptional cases), and neighbouring multiples of G on secp256k1. Exceptional cases of the
// incomplete formulas and sums of opposite points must both give infinity.
func TestAdditions(t *testing.T) {
	r := random(t)
	for _, c := range curves() {
		ps := pointsOf(c)
		var pairs [][2]reference.Point
		one := 10
		if !cputest.Deep() {
			one = 100
		}
		for _, p := range ps {
			for _, q := range ps {
				ordinary := !p.IsInfinity() && !q.IsInfinity() && p.X.Cmp(q.X) != 0
				if len(ps) < 100 || !ordinary || r.Intn(one) == 0 {
					pairs = append(pairs, [2]reference.Point{p, q})
				}
			}
		}
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for i := range pairs {
			if i%Width != 0 && i+Width < len(pairs) {
				continue // the last group of lanes overlaps the previous one
			}
			if i+Width > len(pairs) {
				i = len(pairs) - Width
			}
			checkAdditions(t, r, c, pairs[i:i+Width])
		}
	}
}

func checkAdditions(t *testing.T, r *rand.Rand, c *reference.Curve, pairs [][2]reference.Point) {
	t.Helper()
	var p, q Jacobian
	var a Affine
	for j, pair := range pairs {
		p.setPoint(r, j, pair[0])
		q.setPoint(r, j, pair[1])
		if pair[1].IsInfinity() {
			pair[1] = c.G // infinity has no affine coordinates, so use G instead
		}
		a.setPoint(r, j, pair[1])
	}
	check := func(name string, got *Jacobian, second func(j int) reference.Point) {
		t.Helper()
		if !reducedPoint(got) {
			t.Fatalf("%s: %x is not reduced", name, *got)
		}
		infinite := got.IsInfinity()
		for j, pair := range pairs {
			x, y := pair[0], second(j)
			want := c.Add(x, y)
			if x.IsInfinity() || y.IsInfinity() || x.X.Cmp(y.X) == 0 {
				want = reference.Point{}
			}
			if sum := pointOf(got, j); !sum.Equal(want) {
				t.Fatalf("order %v, lane %d: %s(%v, %v) = %v, want %v", c.Order, j, name, x, y, sum, want)
			}
			if infinite.Has(j) != want.IsInfinity() {
				t.Fatalf("IsInfinity is %08b", infinite)
			}
		}
	}
	var v Jacobian
	v.AddMixedIncomplete(&p, &a)
	check("AddMixedIncomplete", &v, func(j int) reference.Point { return affineOf(&a, j) })
	w := p
	w.AddMixedIncomplete(&w, &a)
	if w != v {
		t.Fatal("AddMixedIncomplete in place differs")
	}

	v.AddIncomplete(&p, &q)
	check("Add", &v, func(j int) reference.Point { return pointOf(&q, j) })
	w = p
	w.AddIncomplete(&w, &q)
	if w != v {
		t.Fatal("Add over its first argument differs")
	}
	w = q
	w.AddIncomplete(&p, &w)
	if w != v {
		t.Fatal("Add over its second argument differs")
	}
	w = p
	w.AddIncomplete(&w, &w)
	if w.IsInfinity() != All() || !reducedPoint(&w) {
		t.Fatal("Add of a point to itself is not infinity")
	}

	// If Z is zero in a lane before the addition, it must be zero there afterwards.
	infinite := v.IsInfinity()
	v.DoubleN(&v, 1+r.Intn(5))
	v.AddMixedIncomplete(&v, &a)
	if v.IsInfinity().And(infinite) != infinite {
		t.Fatal("infinity is lost")
	}
}

func TestDoubleN(t *testing.T) {
	r := random(t)
	for _, c := range curves() {
		ps := pointsOf(c)
		for i := range ps {
			if len(ps) > 100 && i%10 != 0 {
				continue
			}
			var p, v Jacobian
			for j := range Width {
				p.setPoint(r, j, ps[(i+j)%len(ps)])
			}
			for n := 1; n <= 6; n++ {
				v.DoubleN(&p, n)
				if !reducedPoint(&v) {
					t.Fatalf("%x is not reduced", v)
				}
				for j := range Width {
					want := c.ScalarMult(big.NewInt(1<<n), ps[(i+j)%len(ps)])
					if got := pointOf(&v, j); !got.Equal(want) {
						t.Fatalf("order %v, lane %d: 2^%d·%v = %v, want %v",
							c.Order, j, n, ps[(i+j)%len(ps)], got, want)
					}
				}
				w := p
				w.DoubleN(&w, n)
				if w != v {
					t.Fatal("DoubleN in place differs")
				}
			}
		}
	}
}

// TestDenominators checks that the formulas give the Z that their comments claim, on random
// coordinates, which mostly are not a point of any curve.
func TestDenominators(t *testing.T) {
	r := random(t)
	for range 200 {
		p := Jacobian{randomElement(r), randomElement(r), randomElement(r)}
		q := Jacobian{randomElement(r), randomElement(r), randomElement(r)}
		a := Affine{randomElement(r), randomElement(r)}
		at := func(e *Element, j int) *big.Int { return e.get(j).int() }
		mul := func(xs ...*big.Int) *big.Int {
			y := big.NewInt(1)
			for _, x := range xs {
				y.Mul(y, x)
			}
			return y
		}
		var v Jacobian
		v.DoubleN(&p, 1)
		checkLanes(t, "doubled", &v.Z, func(j int) *big.Int {
			return mul(big.NewInt(2), at(&p.Y, j), at(&p.Z, j))
		})
		v.AddMixedIncomplete(&p, &a)
		checkLanes(t, "mixed", &v.Z, func(j int) *big.Int {
			h := mul(at(&a.X, j), at(&p.Z, j), at(&p.Z, j))
			return mul(h.Sub(h, at(&p.X, j)), at(&p.Z, j))
		})
		v.AddIncomplete(&p, &q)
		checkLanes(t, "full", &v.Z, func(j int) *big.Int {
			h := mul(at(&q.X, j), at(&p.Z, j), at(&p.Z, j))
			h.Sub(h, mul(at(&p.X, j), at(&q.Z, j), at(&q.Z, j)))
			return mul(h, at(&p.Z, j), at(&q.Z, j))
		})
	}
}

func TestAddAffine(t *testing.T) {
	r := random(t)
	for _, c := range curves() {
		ps := pointsOf(c)[1:]
		for i := range ps {
			if len(ps) > 100 && i%10 != 0 {
				continue
			}
			var a, b, v Affine
			var inv Element
			var want [Width]reference.Point
			for j := range Width {
				p, q := ps[(i+j)%len(ps)], ps[r.Intn(len(ps))]
				for p.IsInfinity() || q.IsInfinity() || p.X.Cmp(q.X) == 0 {
					p, q = ps[r.Intn(len(ps))], ps[r.Intn(len(ps))]
				}
				want[j] = c.Add(p, q)
				a.setPoint(r, j, p)
				b.setPoint(r, j, q)
				d := new(big.Int).Sub(q.X, p.X)
				inv.setInt(r, j, d.ModInverse(d.Mod(d, prime), prime))
			}
			AddAffineIncomplete(&v, &a, &b, &inv)
			if !isReduced(&v.X) || !isReduced(&v.Y) {
				t.Fatalf("%x is not reduced", v)
			}
			for j := range want {
				if got := affineOf(&v, j); !got.Equal(want[j]) {
					t.Fatalf("order %v, lane %d: %v, want %v", c.Order, j, got, want[j])
				}
			}
			x, y := a, b
			AddAffineIncomplete(&x, &x, &b, &inv)
			AddAffineIncomplete(&y, &a, &y, &inv)
			if x != v || y != v {
				t.Fatal("AddAffineIncomplete in place differs")
			}
			y = a
			AddAffineIncomplete(&y, &y, &b, &inv)
			x.X = inv
			AddAffineIncomplete(&x, &a, &b, &x.X)
			if x != v || y != v {
				t.Fatal("AddAffineIncomplete over its inverse differs")
			}
		}
	}
}

// TestRareLimbs checks that the formulas give the same results as the same polynomials in big
// integers, on elements with the smallest and largest limbs.
func TestRareLimbs(t *testing.T) {
	r := random(t)
	rounds := 500
	if !cputest.Deep() {
		rounds = 50
	}
	for range rounds {
		p := Jacobian{randomElement(r), randomElement(r), randomElement(r)}
		q := Jacobian{randomElement(r), randomElement(r), randomElement(r)}
		a := Affine{randomElement(r), randomElement(r)}
		b := Affine{randomElement(r), randomElement(r)}
		inv := randomElement(r)
		var v, w Jacobian
		v.AddMixedIncomplete(&p, &a)
		comparePoints(t, "AddMixedIncomplete", &v, func(j int) (x, y, z *big.Int) {
			return chordOf(at(&p, j), [3]*big.Int{a.X.get(j).int(), a.Y.get(j).int(), big.NewInt(1)})
		})
		w.AddIncomplete(&p, &q)
		comparePoints(t, "Add", &w, func(j int) (x, y, z *big.Int) {
			return chordOf(at(&p, j), at(&q, j))
		})
		v.DoubleN(&p, 2)
		comparePoints(t, "DoubleN", &v, func(j int) (x, y, z *big.Int) {
			x, y, z = tangentOf(at(&p, j))
			return tangentOf([3]*big.Int{x, y, z})
		})
		var s Affine
		AddAffineIncomplete(&s, &a, &b, &inv)
		l := func(j int) *big.Int {
			d := new(big.Int).Sub(b.Y.get(j).int(), a.Y.get(j).int())
			return d.Mul(d, inv.get(j).int())
		}
		x3 := func(j int) *big.Int {
			x := new(big.Int).Mul(l(j), l(j))
			return x.Sub(x, a.X.get(j).int()).Sub(x, b.X.get(j).int())
		}
		checkLanes(t, "AddAffineIncomplete", &s.X, x3)
		checkLanes(t, "AddAffineIncomplete", &s.Y, func(j int) *big.Int {
			y := new(big.Int).Sub(a.X.get(j).int(), x3(j))
			return y.Mul(y, l(j)).Sub(y, a.Y.get(j).int())
		})
	}
}

func at(p *Jacobian, j int) [3]*big.Int {
	return [3]*big.Int{p.X.get(j).int(), p.Y.get(j).int(), p.Z.get(j).int()}
}

func comparePoints(t *testing.T, name string, got *Jacobian, want func(j int) (x, y, z *big.Int)) {
	t.Helper()
	checkLanes(t, name+" X", &got.X, func(j int) *big.Int { x, _, _ := want(j); return x })
	checkLanes(t, name+" Y", &got.Y, func(j int) *big.Int { _, y, _ := want(j); return y })
	checkLanes(t, name+" Z", &got.Z, func(j int) *big.Int { _, _, z := want(j); return z })
}

func product(xs ...*big.Int) *big.Int {
	y := big.NewInt(1)
	for _, x := range xs {
		y.Mul(y, x).Mod(y, prime)
	}
	return y
}

func minus(x *big.Int, ys ...*big.Int) *big.Int {
	d := new(big.Int).Set(x)
	for _, y := range ys {
		d.Sub(d, y)
	}
	return d
}

// chordOf adds the points p and q in Jacobian coordinates by the chord formula.
func chordOf(p, q [3]*big.Int) (x, y, z *big.Int) {
	u1, u2 := product(p[0], q[2], q[2]), product(q[0], p[2], p[2])
	s1, s2 := product(p[1], q[2], q[2], q[2]), product(q[1], p[2], p[2], p[2])
	h, r := minus(u2, u1), minus(s2, s1)
	v, hhh := product(u1, h, h), product(h, h, h)
	x = minus(product(r, r), hhh, v, v)
	y = minus(product(r, minus(v, x)), product(s1, hhh))
	return x, y, product(p[2], q[2], h)
}

// tangentOf doubles the point p in Jacobian coordinates by the tangent formula.
func tangentOf(p [3]*big.Int) (x, y, z *big.Int) {
	m := product(big.NewInt(3), p[0], p[0])
	s := product(big.NewInt(4), p[0], p[1], p[1])
	x = minus(product(m, m), s, s)
	y = minus(product(m, minus(s, x)), product(big.NewInt(8), p[1], p[1], p[1], p[1]))
	return x, y, product(big.NewInt(2), p[1], p[2])
}

func TestAffine(t *testing.T) {
	r := random(t)
	for m := range 256 {
		m := maskOf(m)
		b, c := Affine{randomElement(r), randomElement(r)}, Affine{randomElement(r), randomElement(r)}
		p, q := Jacobian{b.X, b.Y, c.X}, Jacobian{c.X, c.Y, b.Y}
		var v Jacobian
		v.Select(m, &p, &q)
		for j := range Width {
			want := &q
			if m.Has(j) {
				want = &p
			}
			if v.X.get(j) != want.X.get(j) || v.Y.get(j) != want.Y.get(j) || v.Z.get(j) != want.Z.get(j) {
				t.Fatalf("Select(%08b), lane %d", m, j)
			}
		}
		var a Affine
		var y Element
		a.CondNeg(m, &b)
		y.CondNeg(m, &b.Y)
		if a.X != b.X || a.Y != y {
			t.Fatalf("CondNeg(%08b)", m)
		}
		v.SetAffine(&b)
		if v.X != b.X || v.Y != b.Y || v.Z != *elementPointer(limbs{1}) {
			t.Fatal("SetAffine")
		}
	}
}

// TestCoZ checks that CoZ adds affine points correctly. Their denominator is 1, so the fields Sum
// and Addend of the result must have the denominator Ratio.
func TestCoZ(t *testing.T) {
	r := random(t)
	for _, c := range curves() {
		ps := pointsOf(c)[1:]
		for i := range ps {
			if len(ps) > 100 && i%10 != 0 {
				continue
			}
			var a, b Affine
			var p, q, sum [Width]reference.Point
			for j := range Width {
				p[j], q[j] = ps[(i+j)%len(ps)], ps[r.Intn(len(ps))]
				for p[j].IsInfinity() || q[j].IsInfinity() {
					p[j], q[j] = ps[r.Intn(len(ps))], ps[r.Intn(len(ps))]
				}
				sum[j] = c.Add(p[j], q[j])
				a.setPoint(r, j, p[j])
				b.setPoint(r, j, q[j])
			}
			var v CoZ
			v.AddIncomplete(&a, &b)
			for _, e := range []*Element{&v.Sum.X, &v.Sum.Y, &v.Addend.X, &v.Addend.Y, &v.Ratio} {
				if !isReduced(e) {
					t.Fatalf("%x is not reduced", *e)
				}
			}
			got, addend := Jacobian{v.Sum.X, v.Sum.Y, v.Ratio}, Jacobian{v.Addend.X, v.Addend.Y, v.Ratio}
			for j := range Width {
				if p[j].X.Cmp(q[j].X) == 0 {
					if !v.Ratio.IsZero().Has(j) {
						t.Fatalf("order %v, lane %d: equal or opposite points were added", c.Order, j)
					}
					continue
				}
				if s := pointOf(&got, j); !s.Equal(sum[j]) {
					t.Fatalf("order %v, lane %d: %v, want %v", c.Order, j, s, sum[j])
				}
				if s := pointOf(&addend, j); !s.Equal(q[j]) {
					t.Fatalf("order %v, lane %d: the addend is %v, not %v", c.Order, j, s, q[j])
				}
			}
			w := CoZ{Sum: a, Addend: b}
			if w.AddIncomplete(&w.Sum, &w.Addend); w != v {
				t.Fatal("CoZ.Add in place differs")
			}
		}
	}
}
