package vector

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// limbs returns x modulo p in limbs, or at random that number plus p, which is reduced too.
func limbs(r *rand.Rand, x *big.Int) [5]uint64 {
	x = new(big.Int).Mod(x, reference.P())
	if r.IntN(2) == 0 {
		x.Add(x, reference.P())
	}
	return reference.Limbs52(x)
}

// number returns the number in limbs l. It fails if l is not reduced.
func number(t *testing.T, l [5]uint64) *big.Int {
	t.Helper()
	for i := range l {
		if l[i]>>52 != 0 || i == 4 && l[i]>>49 != 0 {
			t.Fatalf("limb %d is %#x", i, l[i])
		}
	}
	x := reference.FromLimbs52(l)
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

// A memory has random representations of points, next to pages that cannot be accessed. Each call
// of a method uses the other end of its memory.
type memory struct {
	*rand.Rand
	end     int
	points  [2]*Point
	addends [2]*Addend
	affines [2]*Affine
}

func newMemory(t testing.TB) *memory {
	return &memory{
		Rand: reference.Rand(t), points: cputest.Memory[Point](t), addends: cputest.Memory[Addend](t),
		affines: cputest.Memory[Affine](t),
	}
}

func (m *memory) point(a reference.Point) *Point {
	m.end ^= 1
	x, y, z := homogeneousInts(m.Rand, a)
	p := m.points[m.end]
	for k, v := range []*big.Int{x, y, z, times21Int(z)} {
		for i, w := range limbs(m.Rand, v) {
			p[i][k] = w
		}
	}
	return p
}

func (m *memory) addend(a reference.Point) *Addend {
	x, y, z := homogeneousInts(m.Rand, a)
	q := m.addends[m.end]
	sum := new(big.Int).Add(x, z)
	for k, v := range []*big.Int{y, times21Int(z), y, x, times21Int(sum), x, y, z} {
		for i, w := range limbs(m.Rand, v) {
			q[i][k] = w
		}
	}
	return q
}

func (m *memory) affine(a reference.Point) *Affine {
	q := m.affines[m.end]
	*q = Affine{limbs(m.Rand, a.X), limbs(m.Rand, a.Y)}
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

// points returns infinity and other points. Many are equal or opposite to others, or their
// multiples by 2, 3, 4 or λ.
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
	r := newMemory(t)
	c := reference.Secp256k1()
	list := points(r.Rand)
	for _, a := range list {
		multiple := a
		for n := range 4 {
			if n > 0 {
				multiple = c.Double(multiple)
				if got := pointOf(t, r.point(a).Double(n)); !got.Equal(multiple) {
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
				check("DoubleAdd", r.point(a).DoubleAdd(n, r.addend(b), 0), b)
				if b.IsInfinity() {
					check("DoubleAdd, negated", r.point(a).DoubleAdd(n, r.addend(b), ^uint64(0)), b)
					continue
				}
				check("DoubleAdd, negated", r.point(a).DoubleAdd(n, r.addend(b), ^uint64(0)), c.Neg(b))
				q := r.affine(b)
				check("DoubleAddAffine", r.point(a).DoubleAddAffine(n, q), b)
				if n == 0 {
					check("SetAffine", r.point(a).DoubleAdd(0, setAddend(new(Point).SetAffine(q)), 0), b)
				}
			}
		}
	}
}

func setAddend(p *Point) *Addend {
	var a [2]Addend
	setAddends(&a, p)
	return &a[0]
}

func TestSetAddends(t *testing.T) {
	r := newMemory(t)
	c := reference.Secp256k1()
	addends := cputest.Memory[[2]Addend](t)
	for i, a := range points(r.Rand) {
		q := addends[i%2]
		setAddends(q, r.point(a))
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
	r := newMemory(t)
	c := reference.Secp256k1()
	b := c.ScalarMult(reference.RandInt(r), c.G)
	for _, m := range cputest.Memory[Multiples](t) {
		testMultiples(t, r, b, m)
	}
}

func testMultiples(t *testing.T, r *memory, b reference.Point, m *Multiples) {
	c := reference.Secp256k1()
	m.Set(r.affine(b))
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
	before := *m
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
					p := r.point(a)
					p.DoubleAddMultiples(n, m, uint64(i), negate[0], uint64(j), negate[1])
					want := c.Add(c.Add(multiple, q), s)
					if got := pointOf(t, p); !got.Equal(want) {
						t.Fatalf("2^%d·%v + %v + %v is %v, want %v", n, a, q, s, got, want)
					}
				}
			}
			multiple = c.Double(multiple)
		}
	}
	if *m != before {
		t.Error("the table changes")
	}
}

func TestJacobian(t *testing.T) {
	r := newMemory(t)
	if got := pointOf(t, new(Point).SetInfinity()); !got.IsInfinity() {
		t.Errorf("infinity is %v", got)
	}
	for range 20 {
		for _, a := range points(r.Rand) {
			var j point.Jacobian
			var got point.Affine
			r.point(a).Jacobian(&j)
			if finite := got.SetJacobianVartime(&j); finite == a.IsInfinity() {
				t.Fatalf("%v: finite is %v", a, finite)
			}
			if a.IsInfinity() {
				continue
			}
			x, y := got.X.Limbs(), got.Y.Limbs()
			if reference.FromWords(x[:]...).Cmp(a.X) != 0 || reference.FromWords(y[:]...).Cmp(a.Y) != 0 {
				t.Fatalf("%v is (%x, %x)", a, x, y)
			}
		}
	}
}

func TestAffineSet(t *testing.T) {
	r := newMemory(t)
	for range 1000 {
		var p point.Affine
		var want [2]*big.Int
		for k, e := range []*field.Element{&p.X, &p.Y} {
			var w [4]uint64
			for i := range w {
				w[i] = r.Uint64() | -(r.Uint64() & 1)
			}
			e.SetLimbs(w[0], w[1], w[2], w[3])
			want[k] = reference.FromWords(w[:]...)
			want[k].Mod(want[k], reference.P())
		}
		var a Affine
		a.Set(&p)
		if number(t, a.X).Cmp(want[0]) != 0 || number(t, a.Y).Cmp(want[1]) != 0 {
			t.Fatalf("%x is %x", want, a)
		}
	}
}

func BenchmarkOperations(b *testing.B) {
	r := newMemory(b)
	c := reference.Secp256k1()
	p, q := r.point(c.G), c.Double(c.G)
	a, f := r.addend(q), r.affine(q)
	var set, m Multiples
	m.Set(f)
	var addends [2]Addend
	for name, op := range map[string]func(){
		"Double":              func() { p.Double(1) },
		"Double100":           func() { p.Double(100) },
		"Add":                 func() { p.DoubleAdd(0, a, 0) },
		"AddAffine":           func() { p.DoubleAddAffine(0, f) },
		"Double5Add":          func() { p.DoubleAdd(5, a, 0) },
		"Double4AddMultiples": func() { p.DoubleAddMultiples(4, &m, 1, 0, 6, ^uint64(0)) },
		"Multiples":           func() { set.Set(f) },
		"SetAddends":          func() { setAddends(&addends, p) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op()
			}
		})
	}
}
