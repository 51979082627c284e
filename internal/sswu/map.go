package sswu

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// constantB is B of the curve E'.
const constantB = 1771

// constantA sets v to A of the curve E'.
func constantA(v *field.Element) *field.Element {
	return v.SetLimbs(0x405447c01a444533, 0xe953d363cb6f0e5d, 0xa08a5558f0f5d272, 0x3f8731abdd661adc)
}

// rootOf11 sets v to a square root of 11. The map's constant Z is −11, which is no square.
func rootOf11(v *field.Element) *field.Element {
	return v.SetLimbs(0x286729c8303c4a59, 0xec184f00a74789dd, 0x7ad13fb38f842afe, 0x31fdf302724013e5)
}

// A fraction is the point (x/d, y) of E'.
type fraction struct{ x, d, y field.Element }

// set sets f to the image of u under the simplified SWU map: RFC 9380, section 6.6.2. This is the
// algorithm of appendix F.2, which has no branches, with x left as a fraction. With g(x) = x³ +
// A·x + B and v = Z·u², the candidates for x are
//
//	x1 = −B/A·(1 + 1/(v² + v))   (B/(Z·A) if v² + v is 0)
//	x2 = v·x1
//
// g(x2) = v³·g(x1), and v is no square, so y² = g(x) has a root for exactly one of them. Let y be a
// root of ±g(x1). Then v·u·√(−Z)·y is a root of g(x2) if −g(x1) is the square, because its square
// is v²·u²·(−Z)·(−g(x1)) = v³·g(x1).
func (f *fraction) set(u *field.Element) {
	//ct:secret u.IsOdd().Bool()
	var a, v, n, t, g, w field.Element
	constantA(&a)
	v.Square(u)
	v.MulSmall(&v, 11)
	t.Square(&v)
	v.Neg(&v)
	t.Add(&t, &v) // v² + v
	n.Add(&t, n.One())
	n.MulSmall(&n, constantB)
	t.Select(t.IsZero(), w.SetUint64(11), &t)
	t.Neg(&t)
	f.d.Mul(&t, &a) // x1 = n/d

	// g(x1) = g/d³
	t.Square(&f.d)
	w.Mul(&t, &a)
	g.Square(&n)
	g.Add(&g, &w)
	g.Mul(&g, &n)
	w.Mul(&t, &f.d)
	t.MulSmall(&w, constantB)
	g.Add(&g, &t)

	square := f.y.SqrtRatio(&g, &w)
	t.Mul(&v, u)
	t.Mul(&t, rootOf11(&w))
	t.Mul(&t, &f.y)
	f.y.Select(square, &f.y, &t)
	t.Mul(&n, &v)
	f.x.Select(square, &n, &t)
	f.y.CondNeg(&f.y, u.IsOdd()^f.y.IsOdd())
}

// jacobian sets r to the point f of E', in Jacobian coordinates.
func (f *fraction) jacobian(r *point.Jacobian) {
	var t field.Element
	r.X.Mul(&f.x, &f.d)
	t.Square(&f.d)
	t.Mul(&t, &f.d)
	r.Y.Mul(&f.y, &t)
	r.Z.Set(&f.d)
}

// add sets r to the sum of the points f and q of E', in Jacobian coordinates. The points may be
// equal or opposite. (The type Jacobian is only memory here: its methods are for secp256k1.)
//
// Let x1 = a/d and x2 = b/d with d = f.d·q.d. For any h and g with the slope g/(h·d) of the line
// through the points,
//
//	X = g² − (a + b)·d·h²   Y = g·(a·d·h² − X) − y1·Z³   Z = h·d
//
// For different points, h = b − a and g = (y2 − y1)·d². For equal points, the slope of the tangent,
// (3·x1² + A)/(2·y1), gives h = 2·y1·d and g = 3·a² + A·d². For opposite points h = 0, and Z = 0
// means the identity.
func (f *fraction) add(r *point.Jacobian, q *fraction) {
	//ct:secret f.y.IsOdd().Bool()
	var a, b, d, dd, g, h, s, t field.Element
	a.Mul(&f.x, &q.d)
	b.Mul(&q.x, &f.d)
	d.Mul(&f.d, &q.d)
	dd.Square(&d)
	h.Sub(&b, &a)
	t.Sub(&q.y, &f.y)
	equal := h.IsZero() & t.IsZero()
	g.Mul(&t, &dd)
	t.Mul(&f.y, &d)
	h.Select(equal, t.Double(&t), &h)
	s.Square(&a)
	s.MulSmall(&s, 3)
	t.Mul(constantA(&t), &dd)
	g.Select(equal, t.Add(&t, &s), &g)

	s.Square(&h)
	s.Mul(&s, &d) // d·h²
	r.Z.Mul(&h, &d)
	b.Add(&a, &b)
	b.Mul(&b, &s)
	r.X.Square(&g)
	r.X.Sub(&r.X, &b)
	a.Mul(&a, &s)
	a.Sub(&a, &r.X)
	r.Y.Mul(&g, &a)
	s.Mul(&s, &d)
	s.Mul(&s, &r.Z) // Z³ = d·h²·d·Z
	s.Mul(&s, &f.y)
	r.Y.Sub(&r.Y, &s)
}

// isogeny maps the point r of E' to secp256k1.
//
// The maps of RFC 9380, appendix E.1, have a simpler form. With the x coordinate x0 of the kernel
// and e = x − x0, they are
//
//	(x + s/e + 28/e²)/9   y·(1 − s/e² − 56/e³)/27   s = −2/3·x0²
//
// This is the isogeny of Vélu ("Isogénies entre courbes elliptiques", 1971), followed by a scaling
// of x by 1/9. In Jacobian coordinates, with E = X − x0·Z²,
//
//	X' = X·E² + s·Z⁴·E + 28·Z⁶   Y' = Y·(E³ − s·Z⁴·E − 56·Z⁶)   Z' = 3·Z·E
func isogeny(r *point.Jacobian) {
	//ct:secret r.X.IsOdd().Bool()
	var zz, e, s, t, w field.Element
	zz.Square(&r.Z)
	e.Mul(kernel(&e), &zz)
	e.Sub(&r.X, &e)
	r.Z.Mul(&r.Z, &e)
	r.Z.MulSmall(&r.Z, 3)
	w.Square(&zz)
	s.Mul(slope(&s), &w)
	s.Mul(&s, &e) // s·Z⁴·E
	w.Mul(&w, &zz)
	w.MulSmall(&w, 28) // 28·Z⁶
	t.Square(&e)
	r.X.Mul(&r.X, &t)
	t.Mul(&t, &e)
	r.X.Add(&r.X, &s)
	r.X.Add(&r.X, &w)
	t.Sub(&t, &s)
	t.SubTwice(&t, &w)
	r.Y.Mul(&r.Y, &t)
}

// kernel sets v to x0, the x coordinate of the two points other than the identity in the kernel of
// the isogeny. Their y coordinates are not in the field.
func kernel(v *field.Element) *field.Element {
	return v.SetLimbs(0x1d6ad4ce6ab9c5a5, 0xfc964a4df050df22, 0x041da6957255eed5, 0x89291c84de3e11f1)
}

// slope sets v to s = −2/3·x0².
func slope(v *field.Element) *field.Element {
	return v.SetLimbs(0x4010db260540d91d, 0xfb772a4728afcfac, 0xece8777830312a16, 0x731b09ef2c479ef8)
}

// numbers holds the bytes of one or two numbers modulo p before their reduction.
type numbers [2 * numberSize]byte

// numberSize is the number of bytes that are reduced to a number modulo p: L of RFC 9380, section
// 8.7.
const numberSize = 48

// number sets u to number i of n.
func (n *numbers) number(u *field.Element, i int) {
	u.SetUniformBytes((*[numberSize]byte)(n[i*numberSize:]))
}

// mapOne sets r to the image of the first number, a point of secp256k1.
func (n *numbers) mapOne(r *point.Jacobian) {
	var u field.Element
	var f fraction
	n.number(&u, 0)
	f.set(&u)
	f.jacobian(r)
	isogeny(r)
}

// mapTwo sets r to the sum of the images of both numbers, a point of secp256k1 or infinity.
func (n *numbers) mapTwo(r *point.Jacobian) {
	var u field.Element
	var f, q fraction
	n.number(&u, 0)
	f.set(&u)
	n.number(&u, 1)
	q.set(&u)
	f.add(r, &q)
	isogeny(r)
}

// wipe overwrites n with zeros.
func (n *numbers) wipe() { ct.Wipe(n[:]) }
