package parallel

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

var p = reference.P()

func limb(x *big.Int) (l [5]uint64) {
	x = new(big.Int).Mod(x, p)
	for i := range l {
		l[i] = new(big.Int).And(new(big.Int).Rsh(x, uint(52*i)), big.NewInt(1<<52-1)).Uint64()
	}
	return
}
func toInt(l [5]uint64) *big.Int {
	x := new(big.Int)
	for i := 4; i >= 0; i-- {
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(l[i]))
	}
	return x
}

type pt struct{ x, y *big.Int } // nil x infinity
func add(a, b pt) pt {
	if a.x == nil {
		return b
	}
	if b.x == nil {
		return a
	}
	var l *big.Int
	if a.x.Cmp(b.x) == 0 {
		if new(big.Int).Mod(new(big.Int).Add(a.y, b.y), p).Sign() == 0 {
			return pt{}
		}
		l = new(big.Int).Mul(a.x, a.x)
		l.Mul(l, big.NewInt(3))
		l.Mul(l, new(big.Int).ModInverse(new(big.Int).Lsh(a.y, 1), p))
	} else {
		l = new(big.Int).Sub(b.y, a.y)
		l.Mul(l, new(big.Int).ModInverse(new(big.Int).Mod(new(big.Int).Sub(b.x, a.x), p), p))
	}
	x := new(big.Int).Mul(l, l)
	x.Sub(x, a.x).Sub(x, b.x).Mod(x, p)
	y := new(big.Int).Sub(a.x, x)
	y.Mul(y, l).Sub(y, a.y).Mod(y, p)
	return pt{x, y}
}
func neg(a pt) pt {
	if a.x == nil {
		return a
	}
	return pt{a.x, new(big.Int).Mod(new(big.Int).Neg(a.y), p)}
}
func randz() *big.Int {
	return new(big.Int).Add(new(big.Int).Mod(new(big.Int).Mul(big.NewInt(rand.Int64()), new(big.Int).Exp(big.NewInt(rand.Int64()), big.NewInt(4), nil)), p), big.NewInt(1))
}
func hom(a pt) (x, y, z *big.Int) {
	if a.x == nil {
		return new(big.Int), randz(), new(big.Int)
	}
	z = randz()
	return new(big.Int).Mul(a.x, z), new(big.Int).Mul(a.y, z), z
}
func pointOf(a pt) *Point {
	x, y, z := hom(a)
	var q Point
	for k, v := range []*big.Int{x, y, z, new(big.Int).Mul(z, big.NewInt(21))} {
		for i, w := range limb(v) {
			q[i][k] = w
		}
	}
	return &q
}
func addend(a pt) *Addend {
	x, y, z := hom(a)
	t := func(v *big.Int) *big.Int { return new(big.Int).Mul(v, big.NewInt(21)) }
	var q Addend
	for k, v := range []*big.Int{y, t(z), y, x, t(new(big.Int).Add(x, z)), x, y, z} {
		for i, w := range limb(v) {
			q[i][k] = w
		}
	}
	return &q
}
func lane(q *Point, k int) *big.Int {
	var l [5]uint64
	for i := range l {
		l[i] = q[i][k]
	}
	return new(big.Int).Mod(toInt(l), p)
}
func check(t *testing.T, q *Point, want pt) {
	t.Helper()
	x, y, z, w := lane(q, 0), lane(q, 1), lane(q, 2), lane(q, 3)
	if new(big.Int).Mod(new(big.Int).Mul(z, big.NewInt(21)), p).Cmp(w) != 0 {
		t.Fatal("W")
	}
	for i := range q {
		for _, v := range q[i] {
			if v>>52 != 0 || i == 4 && v>>49 != 0 {
				t.Fatal("range")
			}
		}
	}
	if z.Sign() == 0 {
		if want.x != nil || x.Sign() != 0 || y.Sign() == 0 {
			t.Fatal("infinity")
		}
		return
	}
	if want.x == nil {
		t.Fatal("want infinity", x, y, z, w)
	}
	i := new(big.Int).ModInverse(z, p)
	x.Mul(x, i).Mod(x, p)
	y.Mul(y, i).Mod(y, p)
	if x.Cmp(want.x) != 0 || y.Cmp(want.y) != 0 {
		t.Fatal("wrong")
	}
}
func g() pt {
	x, _ := new(big.Int).SetString("79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798", 16)
	y, _ := new(big.Int).SetString("483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8", 16)
	return pt{x, y}
}

func TestAll(t *testing.T) {
	a, b := g(), add(g(), g())
	for k := range 2000 {
		n := rand.IntN(4)
		s := a
		if k%7 == 0 {
			s = pt{}
		}
		d := s
		for range n {
			d = add(d, d)
		}
		q := pointOf(s)
		if n > 0 {
			double(q, n)
			check(t, q, d)
		}
		other := b
		switch k % 5 {
		case 0:
			other = d
		case 1:
			other = neg(d)
		case 2:
			other = pt{}
		}
		q = pointOf(s)
		doubleAdd(q, n, addend(other), 0)
		check(t, q, add(d, other))
		q = pointOf(s)
		doubleAdd(q, n, addend(other), ^uint64(0))
		check(t, q, add(d, neg(other)))
		if other.x != nil {
			q = pointOf(s)
			doubleAddAffine(q, n, &Affine{limb(other.x), limb(other.y)})
			check(t, q, add(d, other))
		}
		a, b = add(a, b), add(a, a)
	}
}

func BenchmarkDouble(b *testing.B) {
	q := pointOf(g())
	for b.Loop() {
		double(q, 100)
	}
}
func BenchmarkAdd(b *testing.B) {
	q, o := pointOf(g()), addend(add(g(), g()))
	for b.Loop() {
		doubleAdd(q, 0, o, 0)
	}
}
func BenchmarkDoubleAdd(b *testing.B) {
	q, o := pointOf(g()), addend(add(g(), g()))
	for b.Loop() {
		doubleAdd(q, 3, o, 0)
	}
}
func BenchmarkAddAffine(b *testing.B) {
	q, o := pointOf(g()), &Affine{limb(g().x), limb(g().y)}
	for b.Loop() {
		doubleAddAffine(q, 0, o)
	}
}
