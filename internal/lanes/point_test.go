package lanes

import (
	"math/big"
	"math/rand/v2"
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
		if r.IntN(3) == 0 {
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
	x.Add(x, new(big.Int).Mul(prime, big.NewInt(int64(r.IntN(2)))))
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

// TestAdditions checks that pairs of points in one lane have the right sum, with other pairs in all
// other lanes. The pairs are all pairs of the small groups (for the largest of them, only the
// exceptional cases), and neighbouring multiples of G on secp256k1. Exceptional cases of the
// incomplete formulas and sums of opposite points must both give infinity.
func TestAdditions(t *testing.T) {
	r := reference.Rand(t)
	for _, c := range reference.Curves() {
		ps := c.Points()
		var pairs [][2]reference.Point
		one := 10
		if !cputest.Deep() {
			one = 100
		}
		for _, p := range ps {
			for _, q := range ps {
				ordinary := !p.IsInfinity() && !q.IsInfinity() && p.X.Cmp(q.X) != 0
				if len(ps) < 100 || !ordinary || r.IntN(one) == 0 {
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
	v.DoubleN(&v, 1+r.IntN(5))
	v.AddMixedIncomplete(&v, &a)
	if v.IsInfinity().And(infinite) != infinite {
		t.Fatal("infinity is lost")
	}
}

func TestDoubleN(t *testing.T) {
	r := reference.Rand(t)
	for _, c := range reference.Curves() {
		ps := c.Points()
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

// affinePairs calls f for groups of pairs of finite points: p[j] and q[j] in lane j of a and b.
func affinePairs(t *testing.T, f func(
	r *rand.Rand, c *reference.Curve, p, q [Width]reference.Point, a, b Affine,
)) {
	r := reference.Rand(t)
	for _, c := range reference.Curves() {
		ps := c.Points()[1:]
		for i := range ps {
			if len(ps) > 100 && i%10 != 0 {
				continue
			}
			var a, b Affine
			var p, q [Width]reference.Point
			for j := range Width {
				p[j], q[j] = ps[(i+j)%len(ps)], ps[r.IntN(len(ps))]
				a.setPoint(r, j, p[j])
				b.setPoint(r, j, q[j])
			}
			f(r, c, p, q, a, b)
		}
	}
}

func TestAddAffine(t *testing.T) {
	affinePairs(t, func(
		r *rand.Rand, c *reference.Curve, p, q [Width]reference.Point, a, b Affine,
	) {
		var v Affine
		var inv Element
		for j := range Width {
			d := new(big.Int).Sub(q[j].X, p[j].X)
			if d.ModInverse(d.Mod(d, prime), prime) == nil {
				d.SetInt64(1)
			}
			inv.setInt(r, j, d)
		}
		AddAffineIncomplete(&v, &a, &b, &inv)
		if !isReduced(&v.X) || !isReduced(&v.Y) {
			t.Fatalf("%x is not reduced", v)
		}
		for j := range Width {
			got, want := affineOf(&v, j), c.Add(p[j], q[j])
			if p[j].X.Cmp(q[j].X) != 0 && !got.Equal(want) {
				t.Fatalf("order %v, lane %d: %v, want %v", c.Order, j, got, want)
			}
		}
		x, y := a, b
		AddAffineIncomplete(&x, &x, &b, &inv)
		AddAffineIncomplete(&y, &a, &y, &inv)
		if x != v || y != v {
			t.Fatal("AddAffineIncomplete in place differs")
		}
		x.X = inv
		if AddAffineIncomplete(&x, &a, &b, &x.X); x != v {
			t.Fatal("AddAffineIncomplete over its inverse differs")
		}
	})
}

func product(xs ...*big.Int) *big.Int {
	y := big.NewInt(1)
	for _, x := range xs {
		y.Mul(y, x).Mod(y, prime)
	}
	return y
}

func TestAffine(t *testing.T) {
	r := reference.Rand(t)
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

// TestCoZ checks that CoZ adds and doubles affine points correctly. Their denominator is 1, so the
// fields Sum and Addend of the result must have the denominator Ratio.
func TestCoZ(t *testing.T) {
	affinePairs(t, func(
		r *rand.Rand, c *reference.Curve, p, q [Width]reference.Point, a, b Affine,
	) {
		check := func(name string, v *CoZ, z *Element, sum, addend func(j int) reference.Point) {
			t.Helper()
			for _, e := range []*Element{&v.Sum.X, &v.Sum.Y, &v.Addend.X, &v.Addend.Y, z} {
				if !isReduced(e) {
					t.Fatalf("%s: %x is not reduced", name, *e)
				}
			}
			s, d := Jacobian{v.Sum.X, v.Sum.Y, *z}, Jacobian{v.Addend.X, v.Addend.Y, *z}
			for j := range Width {
				if z.IsZero().Has(j) {
					if name == "doubling" || p[j].X.Cmp(q[j].X) != 0 {
						t.Fatalf("%s, order %v, lane %d: the denominator is 0", name, c.Order, j)
					}
				} else if got := pointOf(&s, j); !got.Equal(sum(j)) || name == "sum" && p[j].Equal(q[j]) {
					t.Fatalf("%s, order %v, lane %d: %v, want %v", name, c.Order, j, got, sum(j))
				} else if got := pointOf(&d, j); !got.Equal(addend(j)) {
					t.Fatalf("%s, order %v, lane %d: the addend is %v", name, c.Order, j, got)
				}
			}
		}
		var v, w CoZ
		var z Element
		v.AddIncomplete(&a, &b)
		check("sum", &v, &v.Ratio, func(j int) reference.Point { return c.Add(p[j], q[j]) },
			func(j int) reference.Point { return q[j] })
		w.SetDouble(&a)
		z.MulSmall(&a.Y, 2)
		check("doubling", &w, &z, func(j int) reference.Point { return c.Double(p[j]) },
			func(j int) reference.Point { return p[j] })
		w.Sum, w.Addend = a, b
		if w.AddIncomplete(&w.Sum, &w.Addend); w != v {
			t.Fatal("CoZ.Add in place differs")
		}
	})
}
