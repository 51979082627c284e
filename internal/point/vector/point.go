package vector

import (
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// Available reports whether this CPU has kernels for this package. The portable versions of the
// kernels are correct, but slower than package point.
//
//ct:public tells about the CPU
func Available() bool { return cpu.Has(cpu.Lanes) || cpu.Has(cpu.LanesAVXIFMA) }

// A Point is a point of the curve in homogeneous coordinates (X : Y : Z): the affine point (X/Z,
// Y/Z), or infinity if Z ≡ 0. Then X ≡ 0 too, and Y is not.
//
// Limb i, of 52 bits, of X, Y, Z and 21·Z is in words 0 to 3 of entry i. All four numbers are
// reduced: limbs 0 to 3 are below 2^52, and limb 4 is below 2^49. The zero value is not a point.
type Point [5][4]uint64

// The lanes of a Point.
const (
	laneX = iota
	laneY
	laneZ
	laneW // 21·Z
)

// An Addend is a point that is arranged to be added to a Point. Limb i of Y, 21·Z, Y, X,
// 21·(X + Z), X, Y and Z is in words 0 to 7 of entry i. All numbers are reduced, as in a Point. The
// zero value is not a point.
type Addend [5][8]uint64

// Multiples holds the odd multiples of a point: entry i is (2i + 1)·p and λ times this point.
type Multiples [8][2]Addend

// An Affine is an affine point in limbs of 52 bits, with limb 4 below 2^49. The zero value is not a
// point.
type Affine struct{ X, Y [5]uint64 }

// Set sets a = p, and returns a.
func (a *Affine) Set(p *point.Affine) *Affine {
	setLimbs(&a.X, &p.X)
	setLimbs(&a.Y, &p.Y)
	return a
}

// setLimbs sets l to the limbs of e. It stores each limb singly, and kernels load each limb singly,
// so the CPU can forward the store to the load. A copy of the array would load two limbs at a time,
// and wait until both stores have reached the cache.
func setLimbs(l *[5]uint64, e *field.Element) {
	const mask = 1<<52 - 1
	w0, w1, w2, w3 := e.Words()
	l[0] = w0 & mask
	l[1] = (w0>>52 | w1<<12) & mask
	l[2] = (w1>>40 | w2<<24) & mask
	l[3] = (w2>>28 | w3<<36) & mask
	l[4] = w3 >> 16
}

// SetInfinity sets p to the point at infinity, and returns p.
func (p *Point) SetInfinity() *Point {
	*p = Point{}
	p[0][laneY] = 1
	return p
}

// SetAffine sets p = a, and returns p.
func (p *Point) SetAffine(a *Affine) *Point {
	for i := range p {
		p[i] = [4]uint64{a.X[i], a.Y[i]}
	}
	p[0][laneZ], p[0][laneW] = 1, b3
	return p
}

// Double sets p = 2^n·p for n ≥ 1, and returns p. The time depends on n only.
func (p *Point) Double(n int) *Point {
	double(p, n)
	return p
}

// DoubleAdd sets p = 2^n·p + q for n ≥ 0, where q is the point of a, or the opposite of that point
// if negate is all ones instead of 0. It returns p. The time depends on n only.
func (p *Point) DoubleAdd(n int, a *Addend, negate uint64) *Point {
	doubleAdd(p, n, a, negate)
	return p
}

// DoubleAddMultiples sets p = 2^n·p + q + r for n ≥ 0, and returns p. q is the point of m[i][0], or
// the opposite of that point if negateI is all ones instead of 0. r is the point of m[j][1], or its
// opposite if negateJ is all ones. i and j are below 8. The time and the addresses that are read
// depend on n only.
func (p *Point) DoubleAddMultiples(n int, m *Multiples, i, negateI, j, negateJ uint64) *Point {
	doubleAddMultiples(p, n, m, i, negateI, j, negateJ)
	return p
}

// DoubleAddAffine sets p = 2^n·p + a for n ≥ 0, and returns p. The time depends on n only.
func (p *Point) DoubleAddAffine(n int, a *Affine) *Point {
	doubleAddAffine(p, n, a)
	return p
}

// Set sets m to the odd multiples of a. The time does not depend on a.
func (m *Multiples) Set(a *Affine) {
	var p Point
	p.SetAffine(a)
	setAddends(&m[0], &p)
	twice := &m[len(m)-1] // 2·a and λ times this point, until the last addition
	setAddends(twice, p.Double(1))
	p.DoubleAdd(0, &m[0][0], 0)
	for i := 1; i < len(m)-1; i++ {
		setAddends(&m[i], &p)
		p.DoubleAdd(0, &twice[0], 0)
	}
	setAddends(twice, &p)
}

// Jacobian sets r = p. If p is infinity, r is infinity.
func (p *Point) Jacobian(r *point.Jacobian) {
	p.get(&r.X, laneX)
	p.get(&r.Y, laneY)
	p.get(&r.Z, laneZ)
	//ct:secret r.Z.IsZero().Bool()
	// (X : Y : Z) is the affine point (X·Z/Z², Y·Z²/Z³).
	r.X.Mul(&r.X, &r.Z)
	r.Y.Mul(&r.Y, &r.Z)
	r.Y.Mul(&r.Y, &r.Z)
}

// get sets e to the number in the given lane of p.
func (p *Point) get(e *field.Element, lane int) {
	// Limb 4 may have bits from 2^256 up: they count C each.
	l4 := p[4][lane]
	var high field.Element
	e.SetLimbs(
		p[0][lane]|p[1][lane]<<52,
		p[1][lane]>>12|p[2][lane]<<40,
		p[2][lane]>>24|p[3][lane]<<28,
		p[3][lane]>>36|l4<<16,
	)
	high.SetUint64(l4 >> 48 * field.C)
	e.Add(e, &high)
}

// put sets the number in the given lane of p to e.
func (p *Point) put(lane int, e *field.Element) {
	var l [5]uint64
	setLimbs(&l, e)
	for i := range p {
		p[i][lane] = l[i]
	}
}
