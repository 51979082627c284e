package lanes

// An Affine is eight finite points, one per lane. This package never checks that they are on
// the curve.
type Affine struct {
	X, Y Element
}

// A Jacobian is eight points, one per lane: (X/Z², Y/Z³), or the point at infinity
// if Z ≡ 0. The zero value is infinity in every lane.
type Jacobian struct {
	X, Y, Z Element
}

// CondNeg sets a to −b in the lanes of m, and to b in all other lanes.
func (a *Affine) CondNeg(m Mask, b *Affine) {
	a.X = b.X
	condNeg(&a.Y, m, &b.Y)
}

// AddAffineIncomplete sets p = a + b. inv must be 1/(b.X − a.X). In lanes where b.X − a.X has
// no inverse, the resulting coordinates are undefined.
func AddAffineIncomplete(p, a, b *Affine, inv *Element) { addAffine(p, a, b, inv) }

// A CoZ holds the sum of two points and the second of them, over a common denominator, and the
// ratio of this denominator to the one that the two points had before the addition.
type CoZ struct {
	Sum, Addend Affine
	Ratio       Element
}

// AddIncomplete sets p.Sum = q + d and p.Addend = d. q and d must have the same denominator Z,
// which is not an argument: they are the points (X/Z², Y/Z³). p.Sum and p.Addend have the
// denominator Z·p.Ratio. If q and d are equal or opposite, p.Ratio ≡ 0. q may be &p.Sum, and d may
// be &p.Addend. (N. Meloni, "New point addition formulae for ECC applications", WAIFI 2007.)
func (p *CoZ) AddIncomplete(q, d *Affine) { addCoZ(p, q, d) }

// SetDouble sets p.Sum = 2·a and p.Addend = a. Both have the denominator Z = 2·y, where a = (x, y).
// Over Z, 2·a is (X, Y) and a is (S, 8·y⁴) by
//
//	S = 4·x·y²   M = 3·x²   X = M² − 2·S   Y = M·(S − X) − 8·y⁴
func (p *CoZ) SetDouble(a *Affine) {
	var t, u Element
	q, d := &p.Sum, &p.Addend
	u.Square(&a.Y)
	t.MulSmall(&u, 4)
	d.X.Mul(&a.X, &t)
	d.Y.Mul(&t, &u)
	d.Y.Add(&d.Y, &d.Y)
	t.Square(&a.X)
	t.MulSmall(&t, 3)
	q.X.Square(&t)
	q.X.Sub(&q.X, &d.X)
	q.X.Sub(&q.X, &d.X)
	u.Sub(&d.X, &q.X)
	q.Y.Mul(&t, &u)
	q.Y.Sub(&q.Y, &d.Y)
}

// SetAffine sets p = a.
func (p *Jacobian) SetAffine(a *Affine) {
	p.X = a.X
	p.Y = a.Y
	p.Z.One()
}

// Select sets p to q in the lanes of m, and to r in all other lanes.
func (p *Jacobian) Select(m Mask, q, r *Jacobian) {
	//ct:secret m.Has(0)
	selectLanes(&p.X, m, &q.X, &r.X)
	selectLanes(&p.Y, m, &q.Y, &r.Y)
	selectLanes(&p.Z, m, &q.Z, &r.Z)
}

// DoubleN sets p = 2^n·q. n must be at least 1. It is exact for every q:
// infinity stays infinity, and no point of the curve has order two. Each doubling
// sets Z to 2·Y·Z.
func (p *Jacobian) DoubleN(q *Jacobian, n int) { doubleN(p, q, n) }

// AddMixedIncomplete sets p = q + a in the lanes where q is finite and not equal to a or −a. In all
// other lanes the result has Z ≡ 0, which is right only for q = −a. Later operations keep Z ≡ 0, so
// one test of Z at the end of a computation finds all lanes that met an exceptional case. With q =
// (X, Y, Z), the Z of p is Z·(a.X·Z² − X).
func (p *Jacobian) AddMixedIncomplete(q *Jacobian, a *Affine) { addMixed(p, q, a) }

// AddIncomplete sets p = q + r. As in [Jacobian.AddMixedIncomplete], the result has Z ≡ 0 if q or r
// is infinity or q = ±r. The Z of p is Z_q·Z_r·H with H = X_r·Z_q² − X_q·Z_r², where the indices
// name the points.
func (p *Jacobian) AddIncomplete(q, r *Jacobian) { addJacobian(p, q, r) }

// IsInfinity returns the mask of the lanes in which Z ≡ 0.
func (p *Jacobian) IsInfinity() Mask {
	//ct:secret p.Z[0][0] == 0
	return isZero(&p.Z)
}
