package point

import "github.com/koblitz-go/koblitz/internal/field"

// The addition formulas for p = (X1, Y1, Z1) and q = (X2, Y2, Z2). U1/U2 and S1/S2 are the
// numerators of the two points' x and y over a common denominator (for an affine q, U1 = X1 and S1
// = Y1):
//
//	H = U2 − U1   R = S2 − S1   V = U1·H²
//	X3 = R² − H³ − 2·V
//	Y3 = R·(V − X3) − S1·H³
//	Z3 = Z1·Z2·H
//
// This takes 12M + 4S, or 8M + 3S for an affine q. H = 0 if the points are equal (R = 0) or
// opposite. For opposite points the result is right, since Z3 = 0 means infinity.

// chord sets p to the sum of two points by the formulas above: over a common denominator, the
// numerators of their coordinates x and y are (u1, s1) and (u1 + h, s1 + r). The sum has the
// denominator z·h. h, r, u1, s1 and z may share memory with p.
func (p *Jacobian) chord(u1, s1, h, r, z *field.Element) {
	var hh, v, x field.Element
	hh.Square(h)
	p.Z.Mul(z, h)
	v.Mul(u1, &hh)
	hh.Mul(&hh, h) // H³
	x.Square(r)
	x.Sub(&x, &hh)
	hh.Mul(&hh, s1)
	x.SubTwice(&x, &v)
	v.Sub(&v, &x)
	v.Mul(&v, r)
	p.X = x
	p.Y.Sub(&v, &hh)
}

// difference sets h = q.X·z1² − x1 and r = q.Y·z1³ − y1. These are H and R of the formulas above
// for the sum of (x1, y1, z1) and the affine point q.
func difference(h, r, x1, y1, z1 *field.Element, q *Affine) {
	var zz field.Element
	zz.Square(z1)
	h.Mul(&q.X, &zz)
	zz.Mul(&zz, z1)
	r.Mul(&q.Y, &zz)
	h.Sub(h, x1)
	r.Sub(r, y1)
}

// AddMixedIncomplete sets p = q + a, and returns p, in constant time. q must not be the point at
// infinity or a. Callers should avoid q = −a as well, although the result is then right.
func (p *Jacobian) AddMixedIncomplete(q *Jacobian, a *Affine) *Jacobian {
	addMixed(p, q, a)
	return p
}

// addMixedGeneric is the portable version of AddMixedIncomplete: it sets p = q + a. q must not be
// the point at infinity or a.
func addMixedGeneric(p, q *Jacobian, a *Affine) {
	var h, r field.Element
	difference(&h, &r, &q.X, &q.Y, &q.Z, a)
	p.chord(&q.X, &q.Y, &h, &r, &q.Z)
}

// AddMixed sets p = q + a, and returns p, in constant time and for every q.
//
// It computes the sum by the chord formula, the double of a by the tangent formula, and a itself,
// and selects the right result. For finite points, the chord formula gives X = 0 and Z = 0 exactly
// if q = a: Z = 0 means H = 0, and then X = R², which is not 0 if q = −a.
func (p *Jacobian) AddMixed(q *Jacobian, a *Affine) *Jacobian {
	var aj, sum, twice Jacobian
	aj.SetAffine(a)
	twice.Double(&aj)
	addMixed(&sum, q, a)
	same := sum.X.IsZero() & sum.Z.IsZero()
	infinite := q.IsInfinity()
	sum.Select(same, &twice, &sum)
	return p.Select(infinite, &aj, &sum)
}

// Add sets p = q + r, and returns p, in constant time and for every q and r.
func (p *Jacobian) Add(q, r *Jacobian) *Jacobian {
	var sum, twice Jacobian
	twice.Double(q)
	add(&sum, q, r)
	same := sum.X.IsZero() & sum.Z.IsZero() // q = r, by the test that AddMixed uses
	sum.Select(same, &twice, &sum)
	// If q or r is the point at infinity, the chord formula is meaningless, and the sum is the
	// other point.
	sum.Select(q.IsInfinity(), r, &sum)
	return p.Select(r.IsInfinity(), q, &sum)
}

// addGeneric sets p = q + r for finite, distinct points. For equal points the result has X = Z = 0,
// because H = R = 0 in the formulas above.
func addGeneric(p, q, r *Jacobian) {
	//ct:secret q.Z.IsOdd().Bool()
	var d sumParts
	d.set(q, r)
	p.chord(&d.u1, &d.s1, &d.h, &d.r, &d.z)
}

// sumParts holds the arguments of chord for adding two points in Jacobian coordinates.
type sumParts struct {
	u1, s1, h, r, z field.Element
}

func (d *sumParts) set(p, q *Jacobian) {
	var zz1, zz2 field.Element
	zz1.Square(&p.Z)
	zz2.Square(&q.Z)
	d.u1.Mul(&p.X, &zz2)
	d.h.Mul(&q.X, &zz1)
	zz1.Mul(&zz1, &p.Z)
	zz2.Mul(&zz2, &q.Z)
	d.s1.Mul(&p.Y, &zz2)
	d.r.Mul(&q.Y, &zz1)
	d.z.Mul(&p.Z, &q.Z)
	d.h.Sub(&d.h, &d.u1)
	d.r.Sub(&d.r, &d.s1)
}
