//ct:public encodes and decodes public keys

package ellswift

import (
	"errors"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/field"
)

// ErrPointNotOnCurve is never returned, since every encoding decodes to a point.
var ErrPointNotOnCurve = errors.New("point does not exist on secp256k1 curve")

// XSwiftEC returns the x coordinate that the pair (u, t) encodes ("XSwiftEC" of BIP-324),
// normalized. It changes its arguments: it sets an argument that is 0 to 1, and doubles t if u³ + 7
// = −t². The error is always nil. The running time depends on u and t.
func XSwiftEC(u, t *secp256k1.FieldVal) (*secp256k1.FieldVal, error) {
	var r ratio
	r.decode((*field.Element)(u), (*field.Element)(t))
	var x field.Element
	x.InvertVartime(&r.d)
	x.Mul(&x, &r.n)
	return (*secp256k1.FieldVal)(x.Normalize()), nil
}

// A ratio is an x coordinate n/d. If x = n/d, then v = d·(n³ + 7·d³) = (x³ + 7)·d⁴, which is a
// square exactly if x is the x coordinate of a point.
type ratio struct{ n, d, v field.Element }

// decode sets r to the x coordinate that the pair (u, t) encodes, and changes u and t as XSwiftEC
// does. The running time depends on u and t.
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
func (r *ratio) decode(u, t *field.Element) {
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
	if r.onCurve() {
		return
	}
	m.Sub(&g, &tt)
	mulC(&m, &m)
	r.d.Double(&h)
	r.n.Add(&m, &h)
	r.n.Mul(&r.n, u)
	r.n.Neg(&r.n)
	if r.onCurve() {
		return
	}
	r.n.Sub(&m, &h)
	r.n.Mul(&r.n, u)
	r.setV()
}

// onCurve computes r.v, and reports whether n/d is the x coordinate of a point.
func (r *ratio) onCurve() bool {
	r.setV()
	var root field.Element
	return root.SqrtVartime(&r.v).Bool()
}

// setV sets r.v to d·(n³ + 7·d³), where n and d are the fields of r.
func (r *ratio) setV() {
	var ddd field.Element
	ddd.Square(&r.d)
	ddd.Mul(&ddd, &r.d)
	ddd.MulSmall(&ddd, 7)
	r.v.Square(&r.n)
	r.v.Mul(&r.v, &r.n)
	r.v.Add(&r.v, &ddd)
	r.v.Mul(&r.v, &r.d)
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
