package point

import "github.com/koblitz-go/koblitz/internal/field"

// Kernels in variable time give up where a carry goes further than it does but once in
// some 2^28 operations on random numbers, and if their points have the same x. Then
// their portable twins decide.

// AddMixedVartime sets p = q + a, and returns p. It is exact on every input,
// and its time tells the exceptional cases apart.
func (p *Jacobian) AddMixedVartime(q *Jacobian, a *Affine) *Jacobian {
	if q.IsInfinity().Bool() {
		return p.SetAffine(a)
	}
	if addMixedVartime(p, q, a) || addMixedVartimeGeneric(p, q, a) {
		return p
	}
	return p.exception(q, a, &q.Z)
}

// AddScaledVartime sets p = q + a, and returns p, where a is a point of the
// curve and p and q are points of the curve that the isomorphism
// (x, y) ↦ (x·s², y·s³) makes of it. It is exact on every input; its time
// depends on the points.
//
// That is what lets a table of multiples with one common denominator s be used
// as if it were affine: on the other curve (X, Y, Z) stands for (X, Y, s·Z) on
// this one, so that only the numerators of a need s·Z, and the result's Z is
// free of s again. It costs one multiplication more than a mixed addition.
func (p *Jacobian) AddScaledVartime(q *Jacobian, a *Affine, s *field.Element) *Jacobian {
	if q.IsInfinity().Bool() {
		// a in the coordinates of the other curve.
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

// exception sets p = q + a for points with the same x: they are equal or
// opposite. z is the denominator of q in the coordinates of a.
//
//ct:public is called by functions that say that they may leak
func (p *Jacobian) exception(q *Jacobian, a *Affine, z *field.Element) *Jacobian {
	var h, r field.Element
	difference(&h, &r, &q.X, &q.Y, z, a)
	if r.IsZero().Bool() {
		return p.Double(q)
	}
	return p.SetInfinity()
}

// addMixedVartimeGeneric sets p = q + a for a finite q and returns true, or
// leaves p alone and returns false if they have the same x.
func addMixedVartimeGeneric(p, q *Jacobian, a *Affine) (ok bool) {
	return chordVartime(p, q, a, &q.Z)
}

// addScaledVartimeGeneric is addMixedVartimeGeneric for q and p on the curve of
// AddScaledVartime.
func addScaledVartimeGeneric(p, q *Jacobian, a *Affine, s *field.Element) (ok bool) {
	var z field.Element
	z.Mul(&q.Z, s)
	return chordVartime(p, q, a, &z)
}

// chordVartime is the common part: z is the denominator of q in the
// coordinates of a.
func chordVartime(p, q *Jacobian, a *Affine, z *field.Element) bool {
	var h, r field.Element
	difference(&h, &r, &q.X, &q.Y, z, a)
	if h.IsZero().Bool() {
		return false
	}
	p.chord(&q.X, &q.Y, &h, &r, &q.Z)
	return true
}

// AddVartime sets p = q + r, and returns p. It is exact on every input, and
// its time tells the exceptional cases apart.
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

// addVartimeGeneric sets p = q + r for finite points and returns true, or leaves
// p alone and returns false if they have the same x.
//
//ct:public is called by functions that say that they may leak
func addVartimeGeneric(p, q, r *Jacobian) (ok bool) {
	var d sumParts
	d.set(q, r)
	if d.h.IsZero().Bool() {
		return false
	}
	p.chord(&d.u1, &d.s1, &d.h, &d.r, &d.z)
	return true
}
