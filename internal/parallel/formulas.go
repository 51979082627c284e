package parallel

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// This file holds the formulas of Renes, Costello and Batina (ePrint 2015/1060) for a = 0, one
// number after another: the portable versions of the kernels, and their oracle.

// b3 is 3·b for the curve y² = x³ + b with b = 7.
const b3 = 21

// A homogeneous is a point (X : Y : Z).
type homogeneous struct{ x, y, z field.Element }

func (v *homogeneous) load(p *Point) {
	p.get(&v.x, laneX)
	p.get(&v.y, laneY)
	p.get(&v.z, laneZ)
}

func (v *homogeneous) store(p *Point) {
	p.put(laneX, &v.x)
	p.put(laneY, &v.y)
	p.put(laneZ, &v.z)
	var w field.Element
	times21(&w, &v.z)
	p.put(laneW, &w)
}

// times21 sets v = b3·a.
func times21(v, a *field.Element) {
	v.MulSmall(a, 7)
	v.MulSmall(v, 3)
}

// doubleN sets v = 2^n·v.
func (v *homogeneous) doubleN(n int) {
	for range n {
		v.double()
	}
}

// double sets v = 2·v, by algorithm 9.
func (v *homogeneous) double() {
	//ct:secret v.y.IsOdd().Bool()
	var yy, w, xy, yz, s, t field.Element
	yy.Square(&v.y)
	w.Square(&v.z)
	times21(&w, &w)
	xy.Mul(&v.x, &v.y)
	yz.Mul(&v.y, &v.z)
	t.MulSmall(&w, 3)
	s.Sub(&yy, &t) // Y² − 3w
	t.Add(&yy, &t) // Y² + 3w
	v.x.Mul(&xy, &s)
	v.x.Double(&v.x)
	v.y.Square(&t)
	w.Square(&w)
	w.MulSmall(&w, 12)
	v.y.Sub(&v.y, &w)
	v.z.Mul(&yy, &yz)
	v.z.MulSmall(&v.z, 8)
}

// add sets v = v + q, by algorithm 7.
func (v *homogeneous) add(q *homogeneous) {
	var t0, t1, w, c, d, f, s field.Element
	cross := func(r, a1, b2, b1, a2 *field.Element) { // r = a1·b2 + b1·a2
		var t field.Element
		t.Mul(b1, a2)
		r.Mul(a1, b2)
		r.Add(r, &t)
	}
	t0.Mul(&v.x, &q.x)
	t0.MulSmall(&t0, 3)
	t1.Mul(&v.y, &q.y)
	w.Mul(&v.z, &q.z)
	times21(&w, &w)
	cross(&c, &v.x, &q.y, &v.y, &q.x)
	cross(&d, &v.x, &q.z, &v.z, &q.x)
	times21(&d, &d)
	cross(&f, &v.y, &q.z, &v.z, &q.y)
	var a, b field.Element
	a.Add(&t1, &w)
	b.Sub(&t1, &w)
	v.x.Mul(&c, &b)
	s.Mul(&f, &d)
	v.x.Sub(&v.x, &s)
	cross(&v.y, &a, &b, &t0, &d)
	cross(&v.z, &f, &a, &t0, &c)
}

func doubleGeneric(p *Point, n int) {
	var v homogeneous
	v.load(p)
	v.doubleN(n)
	v.store(p)
}

func doubleAddGeneric(p *Point, n int, a *Addend, negate uint64) {
	var v, q homogeneous
	v.load(p)
	v.doubleN(n)
	var e Point
	for i := range a {
		e[i] = [4]uint64{a[i][3], a[i][0], a[i][7], a[i][1]}
	}
	q.load(&e)
	q.y.CondNeg(&q.y, ct.Choice(negate&1))
	v.add(&q)
	v.store(p)
}

func doubleAddMultiplesGeneric(p *Point, n int, t *Multiples, i, negateI, j, negateJ uint64) {
	var a Addend
	a.read(t, 0, i)
	doubleAddGeneric(p, n, &a, negateI)
	a.read(t, 1, j)
	doubleAddGeneric(p, 0, &a, negateJ)
}

// read sets a = t[index][k]. It reads the entries t[…][k] in the same order for every index.
func (a *Addend) read(t *Multiples, k int, index uint64) {
	//ct:secret index == 1
	*a = Addend{}
	for n := range t {
		mask := ct.IsZero64(index ^ uint64(n)).Mask()
		for i := range a {
			for l := range a[i] {
				a[i][l] |= t[n][k][i][l] & mask
			}
		}
	}
}

func doubleAddAffineGeneric(p *Point, n int, a *Affine) {
	var v, q homogeneous
	v.load(p)
	v.doubleN(n)
	var e Point
	q.load(e.SetAffine(a))
	v.add(&q)
	v.store(p)
}

func setAddendsGeneric(a *[2]Addend, p *Point) {
	var v homogeneous
	v.load(p)
	for k := range a {
		var t field.Element
		t.Add(&v.x, &v.z)
		times21(&t, &t)
		//ct:secret t.IsOdd().Bool()
		var q, s Point
		v.store(&q)
		s.put(0, &t)
		for i := range q {
			x, y, z, w := q[i][laneX], q[i][laneY], q[i][laneZ], q[i][laneW]
			a[k][i] = [8]uint64{y, w, y, x, s[i][0], x, y, z}
		}
		v.x.MulBeta(&v.x)
	}
}
