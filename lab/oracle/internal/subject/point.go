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
}

// pointStep runs one operation: either one that sets p from a and b, or one that only examines p.
func pointStep(t *tape, r *record, p, a, b *secp256k1.JacobianPoint) {
	steps := []func(){
		func() { secp256k1.AddNonConst(a, b, p) },
		func() { secp256k1.AddNonConst(p, a, p) },
		func() { secp256k1.DoubleNonConst(a, p) },
		func() { secp256k1.ScalarMultNonConst(t.scalar(), a, p) },
		func() { secp256k1.ScalarBaseMultNonConst(t.scalar(), p) },
		func() { p.ToAffine(); r.write(p) },
		func() { r.write(p.EquivalentNonConst(a)) },
		func() { p.Set(a); r.write(*p == *a) },
		func() { *p = secp256k1.MakeJacobianPoint(&a.X, &a.Y, &a.Z) },
		func() { *p = t.infinity() },
		func() { p.Set(t.point()) },
		func() {
			// p becomes the same point as a, or its negative, in other coordinates.
			p.Set(a)
			rescale(p, t.field())
			if t.bool() {
				p.Y.Negate(1).Normalize()
			}
		},
		func() {
			// DecompressY must also work if its argument and its result are coordinates of one point.
			a.ToAffine()
			p.ToAffine()
			f := t.coordinate(a)
			if g := t.coordinate(p); secp256k1.DecompressY(f, t.bool(), g) {
				r.write(g)
				f = g
			}
			r.write(*f)
			*p = *t.point()
		},
		func() {
			// A multiplication may leave coordinates that are not normalized. Callers may pass the
			// point to EquivalentNonConst and ToAffine all the same.
			one := new(secp256k1.FieldVal).SetInt(1)
			p.X.Mul(one)
			p.Y.Mul(one)
			p.Z.Mul(one)
			p.ToAffine()
		},
	}
	steps[t.below(len(steps))]()
	if !isInfinity(p) {
		n := *p
		n.X.Normalize()
		n.Y.Normalize()
		n.Z.Normalize()
		r.write(n == *p)
	}
	r.write(*p)
}

// coordinate returns a pointer to one of p's coordinates.
func (t *tape) coordinate(p *secp256k1.JacobianPoint) *secp256k1.FieldVal {
	return []*secp256k1.FieldVal{&p.X, &p.Y, &p.Z}[t.below(3)]
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
	r.write(&p)
}

// anyPoints adds, doubles and compares points of any curve y² = x³ + b, since the formulas do not
// use b.
func anyPoints(t *tape, r *record) {
	p, q := t.anyPair()
	var sum, other, twice secp256k1.JacobianPoint
	secp256k1.AddNonConst(&p, &q, &sum)
	secp256k1.AddNonConst(&q, &p, &other)
	secp256k1.DoubleNonConst(&p, &twice)
	r.write(sum, other, twice)
	if !oneCoordinate(p, q) {
		r.write(p.EquivalentNonConst(&q), q.EquivalentNonConst(&p))
	}
	p.ToAffine()
	r.write(&p)
}

// sameX compares two points that have the same x coordinate, but are on different curves.
func sameX(t *tape, r *record) {
	if p, q := t.anyPair(); oneCoordinate(p, q) {
		r.write(p.EquivalentNonConst(&q))
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
