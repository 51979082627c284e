package parallel

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func random(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// limbs returns x modulo p in limbs, or at random that number plus p, which is reduced too.
func limbs(r *rand.Rand, x *big.Int) (l [5]uint64) {
	x = new(big.Int).Mod(x, reference.P())
	if r.IntN(2) == 0 {
		x.Add(x, reference.P())
	}
	mask := big.NewInt(1<<52 - 1)
	for i := range l {
		l[i] = new(big.Int).And(x, mask).Uint64()
		x.Rsh(x, 52)
	}
	return l
}

// number returns the number in limbs l. It fails if l is not reduced.
func number(t *testing.T, l [5]uint64) *big.Int {
	t.Helper()
	x := new(big.Int)
	for i := 4; i >= 0; i-- {
		if l[i]>>52 != 0 || i == 4 && l[i]>>49 != 0 {
			t.Fatalf("limb %d is %#x", i, l[i])
		}
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(l[i]))
	}
	return x.Mod(x, reference.P())
}

func times21Int(x *big.Int) *big.Int { return new(big.Int).Mul(x, big.NewInt(b3)) }

// homogeneousInts returns a in homogeneous coordinates with a random denominator.
func homogeneousInts(r *rand.Rand, a reference.Point) (x, y, z *big.Int) {
	z = reference.RandInt(r)
	z.Mod(z, reference.P())
	if z.Sign() == 0 {
		z.SetInt64(1)
	}
	if a.IsInfinity() {
		return new(big.Int), z, new(big.Int)
	}
	return new(big.Int).Mul(a.X, z), new(big.Int).Mul(a.Y, z), z
}

func newPoint(r *rand.Rand, a reference.Point) *Point {
	x, y, z := homogeneousInts(r, a)
	p := new(Point)
	for k, v := range []*big.Int{x, y, z, times21Int(z)} {
		for i, w := range limbs(r, v) {
			p[i][k] = w
		}
	}
	return p
}

func newAddend(r *rand.Rand, a reference.Point) *Addend {
	x, y, z := homogeneousInts(r, a)
	q := new(Addend)
	sum := new(big.Int).Add(x, z)
	for k, v := range []*big.Int{y, times21Int(z), y, x, times21Int(sum), x, y, z} {
		for i, w := range limbs(r, v) {
			q[i][k] = w
		}
	}
	return q
}

// addendPoint returns the point of q. It fails if the lanes of q contradict each other.
func addendPoint(t *testing.T, q *Addend) reference.Point {
	t.Helper()
	var lanes [8]*big.Int
	for k := range lanes {
		lanes[k] = number(t, [5]uint64{q[0][k], q[1][k], q[2][k], q[3][k], q[4][k]})
	}
	x, y, z := lanes[5], lanes[6], lanes[7]
	for k, v := range []*big.Int{y, times21Int(z), y, x, times21Int(new(big.Int).Add(x, z))} {
		if v.Mod(v, reference.P()); v.Cmp(lanes[k]) != 0 {
			t.Fatalf("lane %d is %x, want %x", k, lanes[k], v)
		}
	}
	return affine(t, x, y, z)
}

// pointOf returns the point of p. It fails if p is not in the form that Point describes.
func pointOf(t *testing.T, p *Point) reference.Point {
	t.Helper()
	var lanes [4]*big.Int
	for k := range lanes {
		lanes[k] = number(t, [5]uint64{p[0][k], p[1][k], p[2][k], p[3][k], p[4][k]})
	}
	w := times21Int(lanes[laneZ])
	if w.Mod(w, reference.P()); w.Cmp(lanes[laneW]) != 0 {
		t.Fatalf("21·Z is %x, want %x", lanes[laneW], w)
	}
	return affine(t, lanes[laneX], lanes[laneY], lanes[laneZ])
}

func affine(t *testing.T, x, y, z *big.Int) reference.Point {
	t.Helper()
	p := reference.P()
	if z.Sign() == 0 {
		if x.Sign() != 0 || y.Sign() == 0 {
			t.Fatalf("infinity is (%x : %x : 0)", x, y)
		}
		return reference.Point{}
	}
	inverse := new(big.Int).ModInverse(z, p)
	a := reference.Point{X: new(big.Int).Mul(x, inverse), Y: new(big.Int).Mul(y, inverse)}
	a.X.Mod(a.X, p)
	a.Y.Mod(a.Y, p)
	return a
}

// points returns infinity, and points of which many are equal, opposite, or multiples of others by
// 2, 3, 4 or λ.
func points(r *rand.Rand) (list []reference.Point) {
	c := reference.Secp256k1()
	for _, k := range []*big.Int{
		new(big.Int), big.NewInt(1), big.NewInt(2), big.NewInt(3), big.NewInt(4), reference.Lambda(),
		reference.RandInt(r),
	} {
		a := c.ScalarMult(k, c.G)
		list = append(list, a)
		if !a.IsInfinity() {
			list = append(list, c.Neg(a), c.MulBeta(a))
		}
	}
	return list
}

func TestOperations(t *testing.T) {
	r := random(t)
	c := reference.Secp256k1()
	list := points(r)
	for _, a := range list {
		multiple := a
		for n := range 4 {
			if n > 0 {
				multiple = c.Double(multiple)
				if got := pointOf(t, newPoint(r, a).Double(n)); !got.Equal(multiple) {
					t.Fatalf("2^%d·%v is %v, want %v", n, a, got, multiple)
				}
			}
			for _, b := range list {
				check := func(what string, p *Point, b reference.Point) {
					t.Helper()
					if got, want := pointOf(t, p), c.Add(multiple, b); !got.Equal(want) {
						t.Fatalf("%s: 2^%d·%v + %v is %v, want %v", what, n, a, b, got, want)
					}
				}
				check("DoubleAdd", newPoint(r, a).DoubleAdd(n, newAddend(r, b), 0), b)
				if b.IsInfinity() {
					check("DoubleAdd, negated", newPoint(r, a).DoubleAdd(n, newAddend(r, b), ^uint64(0)), b)
					continue
				}
				check("DoubleAdd, negated", newPoint(r, a).DoubleAdd(n, newAddend(r, b), ^uint64(0)), c.Neg(b))
				q := &Affine{limbs(r, b.X), limbs(r, b.Y)}
				check("DoubleAddAffine", newPoint(r, a).DoubleAddAffine(n, q), b)
				if n == 0 {
					check("SetAffine", newPoint(r, a).DoubleAdd(0, setAddend(new(Point).SetAffine(q)), 0), b)
				}
			}
		}
	}
}

func setAddend(p *Point) *Addend {
	var a [2]Addend
	SetAddends(&a, p)
	return &a[0]
}

func TestSetAddends(t *testing.T) {
	r := random(t)
	c := reference.Secp256k1()
	for _, a := range points(r) {
		var q [2]Addend
		SetAddends(&q, newPoint(r, a))
		want := []reference.Point{a, a}
		if !a.IsInfinity() {
			want[1] = c.MulBeta(a)
		}
		for k := range q {
			if got := addendPoint(t, &q[k]); !got.Equal(want[k]) {
				t.Errorf("addend %d of %v is %v, want %v", k, a, got, want[k])
			}
		}
	}
}

func TestMultiples(t *testing.T) {
	r := random(t)
	c := reference.Secp256k1()
	b := c.ScalarMult(reference.RandInt(r), c.G)
	var m Multiples
	m.Set(&Affine{limbs(r, b.X), limbs(r, b.Y)})
	var multiples [len(m)][2]reference.Point
	for i := range m {
		odd := c.ScalarMult(big.NewInt(int64(2*i+1)), b)
		multiples[i] = [2]reference.Point{odd, c.MulBeta(odd)}
		for k, want := range multiples[i] {
			if got := addendPoint(t, &m[i][k]); !got.Equal(want) {
				t.Fatalf("addend %d of %d·%v is %v, want %v", k, 2*i+1, b, got, want)
			}
		}
	}
	before := m
	for _, a := range []reference.Point{{}, b, c.Neg(b), c.MulBeta(b), c.Double(c.G)} {
		multiple := a
		for n := range 3 {
			for i := range m {
				for j := range m {
					q, s := multiples[i][0], multiples[j][1]
					var negate [2]uint64
					if r.IntN(2) == 0 {
						q, negate[0] = c.Neg(q), ^uint64(0)
					}
					if r.IntN(2) == 0 {
						s, negate[1] = c.Neg(s), ^uint64(0)
					}
					p := newPoint(r, a)
					p.DoubleAddMultiples(n, &m, uint64(i), negate[0], uint64(j), negate[1])
					want := c.Add(c.Add(multiple, q), s)
					if got := pointOf(t, p); !got.Equal(want) {
						t.Fatalf("2^%d·%v + %v + %v is %v, want %v", n, a, q, s, got, want)
					}
				}
			}
			multiple = c.Double(multiple)
		}
	}
	if m != before {
		t.Error("the table changes")
	}
}

func TestJacobian(t *testing.T) {
	r := random(t)
	if got := pointOf(t, new(Point).SetInfinity()); !got.IsInfinity() {
		t.Errorf("infinity is %v", got)
	}
	for range 20 {
		for _, a := range points(r) {
			var j point.Jacobian
			var got point.Affine
			newPoint(r, a).Jacobian(&j)
			if finite := got.SetJacobianVartime(&j); finite == a.IsInfinity() {
				t.Fatalf("%v: finite is %v", a, finite)
			}
			if a.IsInfinity() {
				continue
			}
			var x, y [32]byte
			got.X.PutBytes(&x)
			got.Y.PutBytes(&y)
			if s := fmt.Sprintf("%x %x", x, y); s != fmt.Sprintf("%064x %064x", a.X, a.Y) {
				t.Fatalf("%v is %s", a, s)
			}
		}
	}
}

func TestAffineSet(t *testing.T) {
	r := random(t)
	for range 1000 {
		var p point.Affine
		var want [2]*big.Int
		for k, e := range []*field.Element{&p.X, &p.Y} {
			var w [4]uint64
			want[k] = new(big.Int)
			for i := range w {
				w[i] = r.Uint64() | -(r.Uint64() & 1)
				want[k].Add(want[k], new(big.Int).Lsh(new(big.Int).SetUint64(w[i]), uint(64*i)))
			}
			e.SetLimbs(w[0], w[1], w[2], w[3])
			want[k].Mod(want[k], reference.P())
		}
		var a Affine
		a.Set(&p)
		if number(t, a.X).Cmp(want[0]) != 0 || number(t, a.Y).Cmp(want[1]) != 0 {
			t.Fatalf("%x is %x", want, a)
		}
	}
}

func benchmark(b *testing.B, op func(p *Point, a *Addend, q *Affine)) {
	r := random(b)
	c := reference.Secp256k1()
	p, q := newPoint(r, c.G), c.Double(c.G)
	a := newAddend(r, q)
	f := &Affine{limbs(r, q.X), limbs(r, q.Y)}
	b.ReportAllocs()
	for b.Loop() {
		op(p, a, f)
	}
}

func BenchmarkDouble(b *testing.B) {
	benchmark(b, func(p *Point, a *Addend, q *Affine) { p.Double(1) })
}

func BenchmarkDouble100(b *testing.B) {
	benchmark(b, func(p *Point, a *Addend, q *Affine) { p.Double(100) })
}

func BenchmarkAdd(b *testing.B) {
	benchmark(b, func(p *Point, a *Addend, q *Affine) { p.DoubleAdd(0, a, 0) })
}

func BenchmarkDouble5Add(b *testing.B) {
	benchmark(b, func(p *Point, a *Addend, q *Affine) { p.DoubleAdd(5, a, 0) })
}

func BenchmarkDouble4AddMultiples(b *testing.B) {
	var m Multiples
	m.Set(&Affine{X: [5]uint64{1}, Y: [5]uint64{2}})
	benchmark(b, func(p *Point, a *Addend, q *Affine) {
		p.DoubleAddMultiples(4, &m, 1, 0, 6, ^uint64(0))
	})
}

func BenchmarkMultiples(b *testing.B) {
	var m Multiples
	benchmark(b, func(p *Point, a *Addend, q *Affine) { m.Set(q) })
}

func BenchmarkAddAffine(b *testing.B) {
	benchmark(b, func(p *Point, a *Addend, q *Affine) { p.DoubleAddAffine(0, q) })
}

func BenchmarkSetAddends(b *testing.B) {
	var q [2]Addend
	benchmark(b, func(p *Point, a *Addend, _ *Affine) { SetAddends(&q, p) })
}
