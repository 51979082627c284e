package lanes

// The portable twins of the kernels for points: the same formulas, but made of
// functions that take and give reduced elements.

// doubleNGeneric sets p = 2^n·q, by
//
//	M = 3·X²  S = 4·X·Y²
//	X3 = M² − 2·S
//	Y3 = M·(S − X3) − 8·Y⁴
//	Z3 = 2·Y·Z
func doubleNGeneric(p, q *Jacobian, n int) {
	*p = *q
	for range n {
		var yy, m, s, t Element
		squareNGeneric(&yy, &p.Y, 1)
		mulGeneric(&p.Z, &p.Y, &p.Z)
		mulSmallGeneric(&p.Z, &p.Z, 2)
		squareNGeneric(&m, &p.X, 1)
		mulSmallGeneric(&m, &m, 3)
		mulGeneric(&s, &p.X, &yy)
		mulSmallGeneric(&s, &s, 4)

		squareNGeneric(&p.X, &m, 1)
		mulSmallGeneric(&t, &s, 2)
		subGeneric(&p.X, &p.X, &t)

		subGeneric(&s, &s, &p.X)
		mulSmallGeneric(&t, &yy, 8)
		subGeneric(&t, &Element{}, &t)
		mulAddGeneric(&p.Y, &m, &s, &yy, &t)
	}
}

// chord sets p to the sum of (u, s) and (u + h, s + r) over the denominator z:
//
//	V = U·H²
//	X3 = R² − H³ − 2·V
//	Y3 = R·(V − X3) − S·H³
//	Z3 = Z·H
//
// H = 0 says that the points are equal or opposite, Z = 0 that one of them is
// infinity: both make Z3 zero.
func (p *Jacobian) chord(u, s, h, r, z *Element) {
	var hh, hhh, v, x, y, t Element
	squareNGeneric(&hh, h, 1)
	mulGeneric(&hhh, &hh, h)
	mulGeneric(&v, u, &hh)

	squareNGeneric(&x, r, 1)
	subGeneric(&x, &x, &hhh)
	mulSmallGeneric(&t, &v, 2)
	subGeneric(&x, &x, &t)

	subGeneric(&v, &v, &x)
	subGeneric(&t, &Element{}, s)
	mulAddGeneric(&y, r, &v, &hhh, &t)
	mulGeneric(&p.Z, z, h)
	p.X, p.Y = x, y
}

func addMixedGeneric(p, q *Jacobian, a *Affine) {
	var zz, h, r Element
	squareNGeneric(&zz, &q.Z, 1)
	mulGeneric(&h, &a.X, &zz)
	subGeneric(&h, &h, &q.X)
	mulGeneric(&zz, &zz, &q.Z)
	mulGeneric(&r, &a.Y, &zz)
	subGeneric(&r, &r, &q.Y)
	u, s := q.X, q.Y
	p.chord(&u, &s, &h, &r, &q.Z)
}

func addJacobianGeneric(p, q, r *Jacobian) {
	var zz1, zz2, u, s, h, d, z Element
	squareNGeneric(&zz1, &q.Z, 1)
	squareNGeneric(&zz2, &r.Z, 1)
	mulGeneric(&u, &q.X, &zz2)
	mulGeneric(&h, &r.X, &zz1)
	subGeneric(&h, &h, &u)
	mulGeneric(&zz1, &zz1, &q.Z)
	mulGeneric(&zz2, &zz2, &r.Z)
	mulGeneric(&s, &q.Y, &zz2)
	mulGeneric(&d, &r.Y, &zz1)
	subGeneric(&d, &d, &s)
	mulGeneric(&z, &q.Z, &r.Z)
	p.chord(&u, &s, &h, &d, &z)
}

// addAffineGeneric sets p = a + b, with inv = 1/(x2 − x1), by
//
//	λ = (y2 − y1)·inv
//	x3 = λ² − x1 − x2
//	y3 = λ·(x1 − x3) − y1
func addAffineGeneric(p, a, b *Affine, inv *Element) {
	var l, x, y Element
	subGeneric(&l, &b.Y, &a.Y)
	mulGeneric(&l, &l, inv)
	squareNGeneric(&x, &l, 1)
	subGeneric(&x, &x, &a.X)
	subGeneric(&x, &x, &b.X)
	subGeneric(&y, &a.X, &x)
	mulGeneric(&y, &y, &l)
	subGeneric(&y, &y, &a.Y)
	p.X, p.Y = x, y
}
