package lanes

// The portable versions of the kernels for points. They use the same formulas, computed by
// functions of reduced elements, which may be kernels themselves.

// doubleNGeneric sets p = 2^n·q. A doubling of (X, Y, Z) gives (X3, Y3, Z3) by
//
//	M = 3·X²  S = 4·X·Y²
//	X3 = M² − 2·S
//	Y3 = M·(S − X3) − 8·Y⁴
//	Z3 = 2·Y·Z
func doubleNGeneric(p, q *Jacobian, n int) {
	*p = *q
	for range n {
		var yy, m, s, t Element
		squareN(&yy, &p.Y, 1)
		mul(&p.Z, &p.Y, &p.Z)
		mulSmall(&p.Z, &p.Z, 2)
		squareN(&m, &p.X, 1)
		mulSmall(&m, &m, 3)
		mul(&s, &p.X, &yy)
		mulSmall(&s, &s, 4)

		squareN(&p.X, &m, 1)
		mulSmall(&t, &s, 2)
		sub(&p.X, &p.X, &t)

		sub(&s, &s, &p.X)
		mulSmall(&t, &yy, 8)
		sub(&t, &Element{}, &t)
		mulAdd(&p.Y, &m, &s, &yy, &t)
	}
}

// chord sets p = (X3, Y3, Z3) to the sum of the points (u, s) and (u + h, s + r), where all four
// coordinates are over the denominator z. U, S, H, R and Z stand for the values of the arguments:
//
//	V = U·H²
//	X3 = R² − H³ − 2·V
//	Y3 = R·(V − X3) − S·H³
//	Z3 = Z·H
//
// H = 0 means that the points are equal or opposite, and Z = 0 that one of them is infinity. Both
// give Z3 = 0.
func (p *Jacobian) chord(u, s, h, r, z *Element) {
	var hh, hhh, v, x, y, t Element
	squareN(&hh, h, 1)
	mul(&hhh, &hh, h)
	mul(&v, u, &hh)

	squareN(&x, r, 1)
	sub(&x, &x, &hhh)
	mulSmall(&t, &v, 2)
	sub(&x, &x, &t)

	sub(&v, &v, &x)
	sub(&t, &Element{}, s)
	mulAdd(&y, r, &v, &hhh, &t)
	mul(&p.Z, z, h)
	p.X, p.Y = x, y
}

func addMixedGeneric(p, q *Jacobian, a *Affine) {
	var zz, h, r Element
	squareN(&zz, &q.Z, 1)
	mul(&h, &a.X, &zz)
	sub(&h, &h, &q.X)
	mul(&zz, &zz, &q.Z)
	mul(&r, &a.Y, &zz)
	sub(&r, &r, &q.Y)
	u, s := q.X, q.Y
	p.chord(&u, &s, &h, &r, &q.Z)
}

func addJacobianGeneric(p, q, r *Jacobian) {
	var zz1, zz2, u, s, h, d, z Element
	squareN(&zz1, &q.Z, 1)
	squareN(&zz2, &r.Z, 1)
	mul(&u, &q.X, &zz2)
	mul(&h, &r.X, &zz1)
	sub(&h, &h, &u)
	mul(&zz1, &zz1, &q.Z)
	mul(&zz2, &zz2, &r.Z)
	mul(&s, &q.Y, &zz2)
	mul(&d, &r.Y, &zz1)
	sub(&d, &d, &s)
	mul(&z, &q.Z, &r.Z)
	p.chord(&u, &s, &h, &d, &z)
}

func addCoZGeneric(p *CoZ, q, d *Affine) {
	var e, v, w, t Element
	sub(&e, &d.Y, &q.Y)
	sub(&p.Ratio, &d.X, &q.X)
	squareN(&t, &p.Ratio, 1)
	mul(&v, &d.X, &t)
	mul(&w, &q.X, &t)
	sub(&t, &v, &w)
	mul(&p.Addend.Y, &d.Y, &t)
	p.Addend.X = v
	squareN(&t, &e, 1)
	sub(&t, &t, &v)
	sub(&p.Sum.X, &t, &w)
	sub(&t, &v, &p.Sum.X)
	mul(&t, &e, &t)
	sub(&p.Sum.Y, &t, &p.Addend.Y)
}

// addAffineGeneric sets p = a + b, where a = (x1, y1), b = (x2, y2), p = (x3, y3) and inv = 1/(x2 −
// x1), by
//
//	λ = (y2 − y1)·inv
//	x3 = λ² − x1 − x2
//	y3 = λ·(x1 − x3) − y1
func addAffineGeneric(p, a, b *Affine, inv *Element) {
	//ct:secret inv[4][7] == 0
	var l, x, y Element
	sub(&l, &b.Y, &a.Y)
	mul(&l, &l, inv)
	squareN(&x, &l, 1)
	sub(&x, &x, &a.X)
	sub(&x, &x, &b.X)
	sub(&y, &a.X, &x)
	mul(&y, &y, &l)
	sub(&y, &y, &a.Y)
	p.X, p.Y = x, y
}
