package secp256k1_test

import (
	"math/big"
	"math/rand/v2"
	stdslices "slices"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var curve = reference.Secp256k1()

// jacobian returns the finite point a in canonical Jacobian coordinates with Z = z.
func jacobian(a reference.Point, z *big.Int) secp256k1.JacobianPoint {
	f := fieldVal(z)
	square := new(secp256k1.FieldVal).SquareVal(f)
	x := fieldVal(a.X).Mul(square).Normalize()
	y := fieldVal(a.Y).Mul(square.Mul(f)).Normalize()
	return secp256k1.MakeJacobianPoint(x, y, f)
}

// A form is a point p in some Jacobian coordinates, and the same point in the type of package
// reference.
type form struct {
	p secp256k1.JacobianPoint
	a reference.Point
}

// forms returns points of the curve in different coordinates, some of them equal and some opposite
// to each other, and infinity in all its representations.
func forms() (all []form) {
	r := rand.New(rand.NewPCG(5, 6))
	for k := int64(-3); k <= 3; k++ {
		if k == 0 {
			continue
		}
		a := curve.ScalarMult(big.NewInt(k), curve.G)
		other := new(big.Int).Mod(reference.RandInt(r), p)
		for _, z := range []*big.Int{
			big.NewInt(1), big.NewInt(5), other, new(big.Int).Sub(p, big.NewInt(1)),
		} {
			all = append(all, form{jacobian(a, z), a})
		}
		if k < 2 {
			b := curve.MulBeta(a)
			all = append(all, form{jacobian(b, big.NewInt(1)), b}, form{jacobian(b, other), b})
		}
	}
	var zero, one, x, y secp256k1.FieldVal
	one.SetInt(1)
	x.SetInt(123)
	y.SetInt(456)
	other := fieldVal(p) // the value 0 in a form that is not canonical
	for _, infinity := range []secp256k1.JacobianPoint{
		{}, {X: x, Y: y}, {X: one, Y: one}, {Z: one}, {Z: x}, {X: x}, {Y: y},
		{X: x, Y: y, Z: *other}, {X: *other, Z: y}, {X: zero, Y: *other, Z: one},
	} {
		all = append(all, form{p: infinity})
	}
	return all
}

// affine returns the point that q represents. It fails the test if a coordinate is not normalized.
func affine(t *testing.T, q *secp256k1.JacobianPoint) reference.Point {
	t.Helper()
	for _, f := range []*secp256k1.FieldVal{&q.X, &q.Y, &q.Z} {
		if g := *f; *g.Normalize() != *f {
			t.Fatalf("%v is not normalized", q)
		}
	}
	if q.Z.IsZero() {
		if *q != (secp256k1.JacobianPoint{}) {
			t.Fatalf("infinity comes out as %v", q)
		}
		return reference.Point{}
	}
	inverse := new(secp256k1.FieldVal).Set(&q.Z).Inverse()
	square := new(secp256k1.FieldVal).SquareVal(inverse)
	x := new(secp256k1.FieldVal).Mul2(&q.X, square)
	y := new(secp256k1.FieldVal).Mul2(&q.Y, square.Mul(inverse))
	return reference.Point{X: residue(x), Y: residue(y)}
}

func TestAdd(t *testing.T) {
	all := forms()
	for _, f := range all {
		for _, g := range all {
			want := curve.Add(f.a, g.a)
			var sum secp256k1.JacobianPoint
			p, q := f.p, g.p
			secp256k1.AddNonConst(&p, &q, &sum)
			if p != f.p || q != g.p {
				t.Fatalf("%v + %v changes them", f.p, g.p)
			}
			switch {
			case f.a.IsInfinity():
				if sum != g.p {
					t.Errorf("infinity + %v = %v", g.p, sum)
				}
			case g.a.IsInfinity():
				if sum != f.p {
					t.Errorf("%v + infinity = %v", f.p, sum)
				}
			default:
				if !affine(t, &sum).Equal(want) {
					t.Errorf("%v + %v = %v", f.p, g.p, sum)
				}
			}
			secp256k1.AddNonConst(&p, &q, &p)
			if p != sum {
				t.Errorf("%v + %v into the first: %v", f.p, g.p, p)
			}
			p = f.p
			secp256k1.AddNonConst(&p, &q, &q)
			if q != sum {
				t.Errorf("%v + %v into the second: %v", f.p, g.p, q)
			}
			q = g.p
			if p.EquivalentNonConst(&q) != f.a.Equal(g.a) || p != f.p || q != g.p {
				t.Errorf("EquivalentNonConst of %v and %v is wrong, or changes them", f.p, g.p)
			}
		}
		p := f.p
		secp256k1.AddNonConst(&p, &p, &p)
		if !f.a.IsInfinity() && !affine(t, &p).Equal(curve.Double(f.a)) {
			t.Errorf("twice %v, all in one place: %v", f.p, p)
		}
		if f.a.IsInfinity() && p != f.p {
			t.Errorf("twice infinity %v: %v", f.p, p)
		}
	}
}

func TestDoubleAndToAffine(t *testing.T) {
	one := new(secp256k1.FieldVal).SetInt(1)
	for _, f := range forms() {
		var q secp256k1.JacobianPoint
		p := f.p
		secp256k1.DoubleNonConst(&p, &q)
		if !affine(t, &q).Equal(curve.Double(f.a)) || p != f.p {
			t.Errorf("2·%v = %v", f.p, q)
		}
		secp256k1.DoubleNonConst(&p, &p)
		if p != q {
			t.Errorf("2·%v in place: %v", f.p, p)
		}

		q.Set(&f.p)
		q.ToAffine()
		want := secp256k1.JacobianPoint{Z: *one}
		if !f.a.IsInfinity() {
			want = secp256k1.MakeJacobianPoint(fieldVal(f.a.X), fieldVal(f.a.Y), one)
		}
		if q != want {
			t.Errorf("%v becomes %v", f.p, q)
		}
		if q.ToAffine(); q != want {
			t.Errorf("%v becomes %v when it is done twice", f.p, q)
		}
	}
	// Convert a point with Z = 1 and coordinates that are not canonical.
	y := new(big.Int).Add(p, big.NewInt(2))
	p := secp256k1.JacobianPoint{X: *fieldVal(p), Y: *fieldVal(y), Z: *one}
	p.ToAffine()
	if p != (secp256k1.JacobianPoint{Y: *new(secp256k1.FieldVal).SetInt(2), Z: *one}) {
		t.Errorf("what is not canonical becomes %v", p)
	}
}

// TestNormalizedZ checks that doubling normalizes the new Z: it doubles points for which 2·Y·Z is p
// + 1, a representation of 1 that is not canonical.
func TestNormalizedZ(t *testing.T) {
	half := new(big.Int).Rsh(new(big.Int).Add(p, big.NewInt(1)), 1)
	one := new(secp256k1.FieldVal).SetInt(1)
	found := 0
	for k := int64(1); k <= 20; k++ {
		a := curve.ScalarMult(big.NewInt(k), curve.G)
		// For the point (x, y) in coordinates with Z = z, the product Y·Z is y·z⁴, so that 2·Y·Z is
		// 1 if z⁴ is 1/(2·y).
		z := new(big.Int).ModInverse(a.Y, p)
		z.Mul(z, half).Mod(z, p)
		if z.ModSqrt(z, p) == nil {
			continue
		}
		if big.Jacobi(z, p) < 0 {
			z.Sub(p, z)
		}
		z.ModSqrt(z, p)
		found++
		q := jacobian(a, z)
		secp256k1.DoubleNonConst(&q, &q)
		if q.Z != *one || !affine(t, &q).Equal(curve.Double(a)) {
			t.Errorf("2·%x over %x is %v", a, z, q)
		}
	}
	if found < 5 {
		t.Errorf("only %d points", found)
	}
}

// scalars returns numbers below 2²⁵⁶: edge cases and random numbers.
func scalars() (all []*big.Int) {
	r := rand.New(rand.NewPCG(7, 8))
	edges := reference.EdgeInts()
	for i := range 30 {
		x := edges[r.IntN(len(edges))]
		if i < 8 {
			x = []*big.Int{
				new(big.Int), big.NewInt(1), big.NewInt(2), n, new(big.Int).Sub(n, big.NewInt(1)),
				new(big.Int).Add(n, big.NewInt(1)), curve.Lambda, big.NewInt(256),
			}[i]
		} else if i%3 == 0 {
			x = reference.RandInt(r)
		}
		all = append(all, x)
	}
	return all
}

func TestScalarMult(t *testing.T) {
	all := forms()
	for i, k := range scalars() {
		var q secp256k1.JacobianPoint
		s := modNScalar(k)
		secp256k1.ScalarBaseMultNonConst(s, &q)
		if !affine(t, &q).Equal(curve.ScalarMult(k, curve.G)) || *s != *modNScalar(k) {
			t.Errorf("%x·G = %v", k, q)
		}
		for j := range 3 {
			f := all[(11*i+5*j)%len(all)]
			p, multiple := f.p, curve.ScalarMult(k, f.a)
			secp256k1.ScalarMultNonConst(s, &p, &q)
			if !affine(t, &q).Equal(multiple) || p != f.p || *s != *modNScalar(k) {
				t.Errorf("%x·%v = %v", k, f.p, q)
			}
			secp256k1.ScalarMultNonConst(s, &p, &p)
			if p != q {
				t.Errorf("%x·%v in place = %v", k, f.p, p)
			}
			p = f.p
			secp256k1.DoubleScalarMultVartime(modNScalar(big.NewInt(7)), s, &p, &q)
			want := curve.Add(curve.ScalarMult(big.NewInt(7), curve.G), multiple)
			if !affine(t, &q).Equal(want) || p != f.p {
				t.Errorf("7·G + %x·%v = %v", k, f.p, q)
			}
			secp256k1.DoubleScalarMultVartime(modNScalar(big.NewInt(7)), s, &p, &p)
			if p != q {
				t.Errorf("7·G + %x·%v in place = %v", k, f.p, p)
			}
		}
	}
}

// multOffCurve returns the expected result for the product k·q, where q is not on the curve.
func multOffCurve(k *big.Int, q secp256k1.JacobianPoint) reference.Point {
	if k.Sign() == 0 {
		return reference.Point{}
	}
	q.ToAffine()
	seed := stdslices.Concat(k.FillBytes(make([]byte, 32)), q.X.Bytes()[:], q.Y.Bytes()[:],
		append([]byte("a multiple of no point"), make([]byte, 10)...))
	return curve.ScalarMult(nonces(seed)(), curve.G)
}

// TestNotOnCurve checks that multiples of points of other curves y² = x³ + b reveal nothing about
// the scalar, and cannot be computed without it.
func TestNotOnCurve(t *testing.T) {
	for i, f := range forms() {
		if f.a.IsInfinity() {
			continue
		}
		for _, change := range []func(q *secp256k1.JacobianPoint){
			func(q *secp256k1.JacobianPoint) { q.X.AddInt(1) },
			func(q *secp256k1.JacobianPoint) { q.Y.AddInt(1) },
			func(q *secp256k1.JacobianPoint) { q.Y.Zero() },
			func(q *secp256k1.JacobianPoint) { q.X.Zero() },
			func(q *secp256k1.JacobianPoint) { q.Z.MulBy2() },
		} {
			q := f.p
			change(&q)
			k := big.NewInt(int64(i % 4))
			want := multOffCurve(k, q)
			secp256k1.ScalarMultNonConst(modNScalar(k), &q, &q)
			if !affine(t, &q).Equal(want) {
				t.Errorf("%d·%v, which was changed, is %v", k, f.p, q)
			}
		}
	}
}

// TestAddOffCurve checks that sums with a point off the curve that has a coordinate 0 are those of
// the addition formulas.
func TestAddOffCurve(t *testing.T) {
	for _, a := range []reference.Point{
		{X: new(big.Int), Y: big.NewInt(5)}, {X: big.NewInt(5), Y: new(big.Int)},
	} {
		for _, z := range []int64{1, 3} {
			q, g := jacobian(a, big.NewInt(z)), jacobian(curve.G, big.NewInt(1))
			var sum secp256k1.JacobianPoint
			secp256k1.AddNonConst(&q, &g, &sum)
			if !affine(t, &sum).Equal(curve.Add(a, curve.G)) {
				t.Errorf("%v + G = %v", q, sum)
			}
			secp256k1.AddNonConst(&g, &q, &sum)
			if !affine(t, &sum).Equal(curve.Add(a, curve.G)) {
				t.Errorf("G + %v = %v", q, sum)
			}
		}
	}
}

func TestDecompressY(t *testing.T) {
	pairs(func(a, _ *big.Int) {
		for _, odd := range []bool{false, true} {
			want, ok := curve.LiftX(new(big.Int).Mod(a, p), odd)
			x, y := fieldVal(a), new(secp256k1.FieldVal)
			if got := secp256k1.DecompressY(x, odd, y); got != ok || ok && *y != *fieldVal(want.Y) {
				t.Errorf("DecompressY(%x, %v) = %v, %v", a, odd, got, y)
			}
			if !ok {
				var root secp256k1.FieldVal
				square := new(secp256k1.FieldVal).SquareVal(x).Mul(x).AddInt(7)
				root.SquareRootVal(square)
				if *y != *root.Normalize() {
					t.Errorf("DecompressY(%x, %v) leaves %v, want %v", a, odd, y, root)
				}
			}
			if got := secp256k1.DecompressY(x, odd, x); got != ok || ok && *x != *y {
				t.Errorf("DecompressY(%x, %v) in place = %v, %v", a, odd, got, x)
			}
		}
	})
}
