//ct:public decodes public keys

package swiftec

import "github.com/koblitz-go/koblitz/internal/field"

// An X is an x coordinate, as a fraction n/d with d ≠ 0. The zero value is not one: Decode and
// SetBytes set it.
//
// v is d·(n³ + 7·d³) = (x³ + 7)·d⁴. So v is a square exactly if x = n/d is the x coordinate of a
// point.
type X struct{ n, d, v field.Element }

// SetBytes sets r to the x coordinate that the 64 bytes of b encode: u and t, 32 bytes each,
// big-endian, which are reduced modulo p. Every b encodes the coordinate of a point.
func (r *X) SetBytes(b *[64]byte) {
	var u, t field.Element
	u.SetBytes((*[32]byte)(b[:32]))
	t.SetBytes((*[32]byte)(b[32:]))
	r.Decode(&u, &t)
}

// Decode sets r to the x coordinate XSwiftEC(u, t) of BIP-324, which is that of a point. It changes
// its arguments: it sets an argument that is 0 to 1, and doubles t if u³ + 7 = −t².
//
// With g = u³ + 7 and h = g + t², which is not 0 after these changes, BIP-324 defines
//
//	X = (g − t²)/2t   Y = h/2tuc   c² = −3
//
// and so the candidates for the x coordinate are
//
//	x1 = u + 4Y²        = (3t²u³ − h²)/3t²u²
//	x2 = −X/2Y − u/2    = −u·(c·(g − t²) + h)/2h
//	x3 = X/2Y − u/2     = u·(c·(g − t²) − h)/2h
//
// The product of the three values xi³ + 7 is a square, and none of them is 0: if neither x1 nor x2
// is the coordinate of a point, then x3 is.
func (r *X) Decode(u, t *field.Element) {
	if u.IsZero().Bool() {
		u.One()
	}
	if t.IsZero().Bool() {
		t.One()
	}
	var uu, tt, g, h field.Element
	uu.Square(u)
	setCurve(&g, u)
	tt.Square(t)
	if h.Add(&g, &tt).IsZero().Bool() {
		t.Double(t)
		tt.Square(t)
		h.Add(&g, &tt)
	}

	var m field.Element
	r.d.Mul(&tt, &uu)
	r.d.MulSmall(&r.d, 3)
	r.n.Mul(&r.d, u)
	r.n.Sub(&r.n, m.Square(&h))
	if r.setV(); r.v.IsSquareVartime() {
		return
	}
	m.Sub(&g, &tt)
	mulC(&m, &m)
	r.d.Double(&h)
	r.n.Add(&m, &h)
	r.n.Mul(&r.n, u)
	r.n.Neg(&r.n)
	if r.setV(); r.v.IsSquareVartime() {
		return
	}
	r.n.Sub(&m, &h)
	r.n.Mul(&r.n, u)
	r.setV()
}

// setV sets r.v from the fields n and d.
func (r *X) setV() {
	var ddd field.Element
	ddd.Square(&r.d)
	ddd.Mul(&ddd, &r.d)
	ddd.MulSmall(&ddd, 7)
	r.v.Square(&r.n)
	r.v.Mul(&r.v, &r.n)
	r.v.Add(&r.v, &ddd)
	r.v.Mul(&r.v, &r.d)
}

// isPoint reports whether r is the x coordinate of a point.
func (r *X) isPoint() bool { return r.v.IsSquareVartime() }

// Put sets x to the x coordinate r, normalized.
func (r *X) Put(x *field.Element) {
	var inverse field.Element
	inverse.InvertVartime(&r.d)
	x.Mul(&r.n, &inverse)
	x.Normalize()
}

// setCurve sets v = x³ + 7.
func setCurve(v, x *field.Element) {
	var y field.Element
	y.Square(x)
	y.Mul(&y, x)
	v.Add(&y, new(field.Element).SetUint64(7))
}

// mulC sets v = c·a, where c = −2β − 1 is the square root of −3 in BIP-324.
func mulC(v, a *field.Element) {
	var b field.Element
	b.MulBeta(a)
	b.Double(&b)
	b.Add(&b, a)
	v.Neg(&b)
}
