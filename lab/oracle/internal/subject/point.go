package subject

import "github.com/decred/dcrd/dcrec/secp256k1/v4"

// field returns a normalized field value.
func (t *tape) field() *secp256k1.FieldVal {
	f := new(secp256k1.FieldVal)
	f.SetBytes(t.number())
	return f.Normalize()
}

// point returns a point of the curve in Jacobian coordinates with any Z, or infinity.
func (t *tape) point() *secp256k1.JacobianPoint {
	p := new(secp256k1.JacobianPoint)
	switch kind := t.byte(); {
	case kind < 8:
		*p = t.infinity()
	case kind < 60:
		secp256k1.ScalarBaseMultNonConst(t.scalar(), p)
		p.ToAffine()
	default:
		p.X.Set(t.field())
		for odd := t.bool(); !secp256k1.DecompressY(&p.X, odd, &p.Y); {
			p.X.AddInt(1).Normalize()
		}
		p.Z.SetInt(1)
	}
	if t.bool() {
		rescale(p, t.field())
	}
	return p
}

// infinity returns one of the Jacobian representations of infinity.
func (t *tape) infinity() secp256k1.JacobianPoint {
	zero, one := new(secp256k1.FieldVal), new(secp256k1.FieldVal).SetInt(1)
	switch t.below(4) {
	case 0:
		return secp256k1.JacobianPoint{}
	case 1:
		return secp256k1.MakeJacobianPoint(zero, zero, one)
	case 2:
		return secp256k1.MakeJacobianPoint(one, one, zero)
	}
	return secp256k1.MakeJacobianPoint(t.field(), t.field(), zero)
}

// rescale changes p to other Jacobian coordinates of the same point, by the factor z. If z is 0, it
// does nothing.
func rescale(p *secp256k1.JacobianPoint, z *secp256k1.FieldVal) {
	if z.IsZero() {
		return
	}
	square := new(secp256k1.FieldVal).SquareVal(z)
	p.X.Mul(square).Normalize()
	p.Y.Mul(square.Mul(z)).Normalize()
	p.Z.Mul(z).Normalize()
}

// pointSequence runs operations on four points. The operands of an operation may be the same point.
func pointSequence(t *tape, r *record) {
	var p [4]secp256k1.JacobianPoint
	for i := range p {
		p[i].Set(t.point())
	}
	for t.more() {
		pointStep(t, r, &p[t.below(4)], &p[t.below(4)], &p[t.below(4)])
	}
	for i := range p {
		r.point(&p[i])
	}
}

// pointStep runs one operation: either one that sets p from a and b, or one that only examines p.
func pointStep(t *tape, r *record, p, a, b *secp256k1.JacobianPoint) {
	switch t.below(24) {
	case 0, 1, 2, 3, 4:
		secp256k1.AddNonConst(a, b, p)
	case 5, 6, 7:
		secp256k1.DoubleNonConst(a, p)
	case 8, 9:
		p.ToAffine()
		r.coordinates(p)
	case 10, 11:
		r.bool(p.EquivalentNonConst(a))
		return
	case 12:
		p.Set(a)
		r.bool(*p == *a)
	case 13:
		*p = secp256k1.MakeJacobianPoint(&a.X, &a.Y, &a.Z)
	case 14, 15:
		// p becomes the same point as a, or its negative, in other coordinates.
		p.Set(a)
		rescale(p, t.field())
		if t.bool() {
			p.Y.Negate(1).Normalize()
		}
	case 16:
		*p = t.infinity()
	case 17:
		p.Set(t.point())
	case 18:
		secp256k1.ScalarMultNonConst(t.scalar(), a, p)
	case 19:
		secp256k1.ScalarBaseMultNonConst(t.scalar(), p)
	case 20:
		// DecompressY must also work if its argument and its result are coordinates of one point.
		a.ToAffine()
		p.ToAffine()
		f := t.coordinate(a)
		if g := t.coordinate(p); secp256k1.DecompressY(f, t.bool(), g) {
			r.canonical(g)
			f = g
		}
		r.field(f)
		*p = *t.point()
	case 21:
		// A multiplication may leave coordinates that are not normalized. Callers may pass the
		// point to EquivalentNonConst and ToAffine all the same.
		one := new(secp256k1.FieldVal).SetInt(1)
		p.X.Mul(one)
		p.Y.Mul(one)
		p.Z.Mul(one)
		p.ToAffine()
	default:
		secp256k1.AddNonConst(p, a, p)
	}
	if !isInfinity(p) {
		n := *p
		n.X.Normalize()
		n.Y.Normalize()
		n.Z.Normalize()
		r.bool(n == *p)
	}
	r.point(p)
}

// coordinate returns a pointer to one of p's coordinates.
func (t *tape) coordinate(p *secp256k1.JacobianPoint) *secp256k1.FieldVal {
	return []*secp256k1.FieldVal{&p.X, &p.Y, &p.Z}[t.below(3)]
}

// multiples multiplies the base point and another point by a scalar.
func multiples(t *tape, r *record) {
	k := t.scalar()
	p := t.point()
	var q secp256k1.JacobianPoint
	secp256k1.ScalarMultNonConst(k, p, &q)
	r.point(&q)
	secp256k1.ScalarBaseMultNonConst(k, p)
	r.point(p)
	secp256k1.ScalarMultNonConst(k, p, p)
	r.point(p)
}

// bareMultiples writes the Jacobian coordinates of a multiple of the base point by a scalar with
// only one nonzero byte, because programs treat these coordinates as affine.
func bareMultiples(t *tape, r *record) {
	var b [32]byte
	b[t.below(32)] = t.byte()
	var k secp256k1.ModNScalar
	if k.SetBytes(&b); k.IsZero() {
		return
	}
	var p secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(&k, &p)
	r.coordinates(&p)
}

// anyPoints adds, doubles and compares points of any curve y² = x³ + b, since the formulas do not
// use b.
func anyPoints(t *tape, r *record) {
	p, q := t.anyPair()
	var sum secp256k1.JacobianPoint
	secp256k1.AddNonConst(&p, &q, &sum)
	r.point(&sum)
	secp256k1.AddNonConst(&q, &p, &sum)
	r.point(&sum)
	if !oneCoordinate(p, q) {
		r.bool(p.EquivalentNonConst(&q))
		r.bool(q.EquivalentNonConst(&p))
	}
	secp256k1.DoubleNonConst(&p, &sum)
	r.point(&sum)
	p.ToAffine()
	r.coordinates(&p)
}

// sameX compares two points that have the same x coordinate, but are on different curves.
func sameX(t *tape, r *record) {
	if p, q := t.anyPair(); oneCoordinate(p, q) {
		r.bool(p.EquivalentNonConst(&q))
	}
}

// anyPair returns two points, which are often related and may be on different curves.
func (t *tape) anyPair() (p, q secp256k1.JacobianPoint) {
	p = secp256k1.MakeJacobianPoint(t.field(), t.field(), t.field())
	q = secp256k1.MakeJacobianPoint(t.field(), t.field(), t.field())
	if t.bool() {
		p.Z.SetInt(1)
	}
	switch t.below(8) {
	case 0, 1:
		q.Z.SetInt(1)
	case 2:
		q.Z = p.Z
	case 3:
		q.X = p.X
		q.Z = p.Z
	case 4:
		q = p
		rescale(&q, t.field())
	case 5:
		q = p
		rescale(&q, t.field())
		q.Y.Negate(1).Normalize()
	}
	return p, q
}

// oneCoordinate reports whether p and q have the same x coordinate, and y coordinates that are
// neither equal nor opposite, so that no curve y² = x³ + b contains both.
func oneCoordinate(p, q secp256k1.JacobianPoint) bool {
	if isInfinity(&p) || isInfinity(&q) {
		return false
	}
	p.ToAffine()
	q.ToAffine()
	if p.X != q.X || p.Y == q.Y {
		return false
	}
	q.Y.Negate(1).Normalize()
	return p.Y != q.Y
}
