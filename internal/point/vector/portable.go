package vector

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds the portable versions of the kernels. They compute the same points as the
// kernels, in other coordinates: by the formulas of package point, which are exact for all points
// too. They have the same contracts.

// b3 is 3·b for the curve y² = x³ + b with b = 7.
const b3 = 21

// set sets p to j.
func (p *Point) set(j *point.Jacobian) {
	//ct:secret j.Z.IsZero().Bool()
	// (X, Y, Z) is the point (X·Z : Y : Z³). Infinity is (0 : 1 : 0).
	var x, y, z field.Element
	x.Mul(&j.X, &j.Z)
	y.One()
	y.Select(j.IsInfinity(), &y, &j.Y)
	z.Square(&j.Z)
	z.Mul(&z, &j.Z)
	p.put(laneX, &x)
	p.put(laneY, &y)
	p.put(laneZ, &z)
	z.MulSmall(&z, b3)
	p.put(laneW, &z)
}

// doubleAddPoint sets p = 2^n·p + q.
func (p *Point) doubleAddPoint(n int, q *point.Jacobian) {
	var sum point.Jacobian
	p.Jacobian(&sum)
	if n > 0 {
		sum.DoubleN(&sum, n)
	}
	p.set(sum.Add(&sum, q))
}

func doubleGeneric(p *Point, n int) {
	var infinity point.Jacobian
	p.doubleAddPoint(n, infinity.SetInfinity())
}

func doubleAddGeneric(p *Point, n int, a *Addend, negate uint64) {
	var e Point
	for i := range a {
		e[i] = [4]uint64{a[i][3], a[i][0], a[i][7], a[i][1]}
	}
	var q point.Jacobian
	e.Jacobian(&q)
	p.doubleAddPoint(n, q.CondNeg(&q, ct.Choice(negate&1)))
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
	var e Point
	var q point.Jacobian
	e.SetAffine(a).Jacobian(&q)
	p.doubleAddPoint(n, &q)
}

func setAddendsGeneric(a *[2]Addend, p *Point) {
	q := *p
	var x, z, t field.Element
	q.get(&x, laneX)
	q.get(&z, laneZ)
	for k := range a {
		t.Add(&x, &z)
		t.MulSmall(&t, b3)
		//ct:secret t.IsOdd().Bool()
		var s Point
		s.put(0, &t)
		for i := range q {
			x, y, z, w := q[i][laneX], q[i][laneY], q[i][laneZ], q[i][laneW]
			a[k][i] = [8]uint64{y, w, y, x, s[i][0], x, y, z}
		}
		x.MulBeta(&x)
		q.put(laneX, &x)
	}
}
