package point

import "github.com/koblitz-go/koblitz/internal/field"

// Variable-time kernels give up if the two points have the same x, or if a carry passes the limbs
// that the kernel handles, once in some 2^28 operations on random numbers. Then portable code
// computes the sum.

// AddMixedVartime sets p = q + a, and returns p. It is exact on every input. Its time reveals
// whether the addition was an exceptional case.
func (p *Jacobian) AddMixedVartime(q *Jacobian, a *Affine) *Jacobian {
	if q.IsInfinity().Bool() {
		return p.SetAffine(a)
	}
	if addMixedVartime(p, q, a) || addMixedVartimeGeneric(p, q, a) {
		return p
	}
	return p.exception(q, a, &q.Z)
}

// AddScaledVartime sets p = q + a, and returns p. a is a point of this curve. p and q are points of
// the isomorphic curve to which (x, y) ↦ (x·s², y·s³) maps this one. The sum is exact on every
// input; its time depends on the points.
//
// With this function, a table of multiples with one common denominator s can be used as if its
// entries were affine: (X, Y, Z) on the isomorphic curve is (X, Y, s·Z) on this one. So only the
// coordinates of a are multiplied by powers of s·Z, and the result's Z does not contain s. It takes
// one multiplication more than a mixed addition.
func (p *Jacobian) AddScaledVartime(q *Jacobian, a *Affine, s *field.Element) *Jacobian {
	if q.IsInfinity().Bool() {
		// Convert a to the coordinates of the isomorphic curve.
		var ss field.Element
		ss.Square(s)
		p.X.Mul(&a.X, &ss)
		ss.Mul(&ss, s)
		p.Y.Mul(&a.Y, &ss)
		p.Z.One()
		return p
	}
	if addScaledVartime(p, q, a, s) || addScaledVartimeGeneric(p, q, a, s) {
		return p
	}
	var z field.Element
	z.Mul(&q.Z, s)
	return p.exception(q, a, &z)
}

// exception sets p = q + a for points with the same x, which are equal or opposite. z is the
// denominator of q on the curve of a.
//
//ct:public only functions that may leak call it
func (p *Jacobian) exception(q *Jacobian, a *Affine, z *field.Element) *Jacobian {
	var h, r field.Element
	difference(&h, &r, &q.X, &q.Y, z, a)
	if r.IsZero().Bool() {
		return p.Double(q)
	}
	return p.SetInfinity()
}

// addMixedVartimeGeneric sets p = q + a for a finite q and returns true. If the
// points have the same x it leaves p unchanged and returns false.
func addMixedVartimeGeneric(p, q *Jacobian, a *Affine) (ok bool) {
	return chordVartime(p, q, a, &q.Z)
}

// addScaledVartimeGeneric does the work of addMixedVartimeGeneric for p and q on the isomorphic
// curve of AddScaledVartime.
func addScaledVartimeGeneric(p, q *Jacobian, a *Affine, s *field.Element) (ok bool) {
	var z field.Element
	z.Mul(&q.Z, s)
	return chordVartime(p, q, a, &z)
}

// chordVartime sets p = q + a and returns true, or returns false if q and a have the same x. z is
// the denominator of q on the curve of a.
func chordVartime(p, q *Jacobian, a *Affine, z *field.Element) bool {
	var h, r field.Element
	difference(&h, &r, &q.X, &q.Y, z, a)
	if h.IsZero().Bool() {
		return false
	}
	p.chord(&q.X, &q.Y, &h, &r, &q.Z)
	return true
}

// AddVartime sets p = q + r, and returns p. It is exact on every input. Its time reveals whether
// the addition was an exceptional case.
func (p *Jacobian) AddVartime(q, r *Jacobian) *Jacobian {
	if q.IsInfinity().Bool() {
		return p.Set(r)
	}
	if r.IsInfinity().Bool() {
		return p.Set(q)
	}
	if addVartime(p, q, r) || addVartimeGeneric(p, q, r) {
		return p
	}
	var d sumParts
	d.set(q, r)
	if d.r.IsZero().Bool() {
		return p.Double(q)
	}
	return p.SetInfinity()
}

// addVartimeGeneric sets p = q + r for finite points and returns true. If the
// points have the same x it leaves p unchanged and returns false.
//
//ct:public only functions that may leak call it
func addVartimeGeneric(p, q, r *Jacobian) (ok bool) {
	var d sumParts
	d.set(q, r)
	if d.h.IsZero().Bool() {
		return false
	}
	p.chord(&d.u1, &d.s1, &d.h, &d.r, &d.z)
	return true
}
