//ct:public encodes public keys

package swiftec

import "github.com/koblitz-go/koblitz/internal/field"

// Inverse sets t to XSwiftECInv(x, u, branch) of BIP-324, normalized, and returns true. The pair
// (u, t) then encodes the x coordinate x of a point, if neither u nor t is 0. Inverse returns false
// if there is no such t, which is so for three of four random u. Only the three lowest bits of
// branch count.
//
// A t exists if two numbers are squares, or one is and another is not. Their Jacobi symbols take
// less time than a square root or an inverse, so Inverse computes those first.
func Inverse(t, u, x *field.Element, branch int) bool {
	var s, v field.Element
	if branch&2 == 0 {
		if !inverse23(&s, &v, u, x) {
			return false
		}
	} else if !inverse1(&s, &v, u, x, branch&1 == 1) {
		return false
	}
	// The result is t = ±w·(u·(1 ∓ c)/2 + v), where s and v are the values that inverse1 or
	// inverse23 has set, w is the square root of s, and c is the square root of −3 in BIP-324. With
	// the cube root β of 1, (1 − c)/2 = 1 + β and (1 + c)/2 = −β.
	var w, f field.Element
	w.SqrtVartime(&s)
	f.MulBeta(u)
	if branch&1 == 0 {
		f.Add(&f, u)
	} else {
		f.Neg(&f)
	}
	f.Add(&f, &v)
	t.Mul(&f, &w)
	if branch&5 == 0 || branch&5 == 5 {
		t.Neg(t)
	}
	t.Normalize()
	return true
}

// inverse23 sets the values s and v from which Inverse computes t, for the branches in which x is
// the second or third candidate of Decode, and reports whether there is a t. s is then a square.
//
// There is none if −x − u is the x coordinate of a point. Otherwise v = x and s = −g/m with g =
// u³ + 7 and m = u² + u·v + v², and s must be a square. It is one exactly if −g·m is.
func inverse23(s, v, u, x *field.Element) bool {
	var y, g, m field.Element
	y.Add(x, u)
	y.Neg(&y)
	setCurve(&y, &y)
	if y.IsSquareVartime() {
		return false
	}
	v.Set(x)
	m.Add(u, v)
	m.Mul(&m, u)
	m.Add(&m, y.Square(v))
	setCurve(&g, u)
	g.Neg(&g)
	if y.Mul(&g, &m); !y.IsSquareVartime() {
		return false
	}
	m.InvertVartime(&m)
	s.Mul(&g, &m)
	return true
}

// inverse1 sets the values s and v from which Inverse computes t, for the branches in which x is
// the first candidate of Decode, and reports whether there is a t. s is then a square. The branches
// come in pairs that differ in the sign of a square root r. If r is 0, both give the same t, so
// inverse1 returns false if second is set.
//
// There, s = x − u, and r is a square root of q = −s·(4·(u³ + 7) + 3·s·u²), so s and q must be
// squares. The other value is v = (r/s − u)/2.
func inverse1(s, v, u, x *field.Element, second bool) bool {
	if s.Sub(x, u); s.IsZero().Bool() || !s.IsSquareVartime() {
		return false
	}
	var q, b, r field.Element
	setCurve(&q, u)
	q.MulSmall(&q, 4)
	b.Square(u)
	b.MulSmall(&b, 3)
	b.Mul(&b, s)
	q.Add(&q, &b)
	q.Mul(&q, s)
	q.Neg(&q)
	if !q.IsSquareVartime() || second && q.IsZero().Bool() {
		return false
	}
	r.SqrtVartime(&q)
	v.InvertVartime(s)
	v.Mul(v, &r)
	v.Sub(v, u)
	v.Half(v)
	return true
}
