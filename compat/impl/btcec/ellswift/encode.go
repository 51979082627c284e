//ct:public encodes and decodes public keys

package ellswift

import (
	"crypto/rand"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// XSwiftECInv returns the t for which the pair (u, t) encodes the x coordinate x ("XSwiftECInv" of
// BIP-324), normalized. It returns nil if the case caseNum has no t. Only the three lowest bits of
// caseNum count. The running time depends on all arguments.
func XSwiftECInv(u, x *secp256k1.FieldVal, caseNum int) *secp256k1.FieldVal {
	t := new(field.Element)
	if !encode(t, (*field.Element)(u), (*field.Element)(x), caseNum) {
		return nil
	}
	return (*secp256k1.FieldVal)(t)
}

// encode sets t to the value that XSwiftECInv returns, and reports whether there is such a t.
func encode(t, u, x *field.Element, caseNum int) bool {
	var s, v, w field.Element
	if caseNum&2 == 0 {
		if !inverse23(&s, &v, u, x) {
			return false
		}
	} else if !inverse1(&s, &v, u, x, caseNum&1 == 1) {
		return false
	}
	if !w.SqrtVartime(&s).Bool() {
		return false
	}
	// The result is t = ±w·(u·(1 ∓ c)/2 + v), where s and v are the values that inverse1 or
	// inverse23 has set, w is the square root of s, and c is the square root of −3 in BIP-324. With
	// the cube root β of 1, (1 − c)/2 = 1 + β and (1 + c)/2 = −β.
	var f field.Element
	f.MulBeta(u)
	if caseNum&1 == 0 {
		f.Add(&f, u)
	} else {
		f.Neg(&f)
	}
	f.Add(&f, &v)
	t.Mul(&f, &w)
	if caseNum&5 == 0 || caseNum&5 == 5 {
		t.Neg(t)
	}
	t.Normalize()
	return true
}

// inverse23 sets the values s and v from which encode computes t, for the cases of BIP-324 in which
// x is the second or third candidate that decoding computes. It returns false if no t encodes x in
// these cases, which is so if −x − u is the x coordinate of a point.
func inverse23(s, v, u, x *field.Element) bool {
	var y, root field.Element
	y.Add(x, u)
	y.Neg(&y)
	setCurve(&y, &y)
	if root.SqrtVartime(&y).Bool() {
		return false
	}
	// If x is the second or third candidate, encode needs v = x and s = −(u³ + 7)/(u² + u·v + v²).
	var sum, square field.Element
	v.Set(x)
	sum.Add(u, v)
	sum.Mul(&sum, u)
	square.Square(v)
	sum.Add(&sum, &square)
	sum.InvertVartime(&sum)
	setCurve(s, u)
	s.Mul(s, &sum)
	s.Neg(s)
	return true
}

// inverse1 sets the values s and v from which encode computes t, for the cases of BIP-324 in which
// x is the first candidate that decoding computes. It reports whether there is a t. The cases come
// in pairs that differ in the sign of a square root r. If r is 0, both give the same t, so inverse1
// returns false if second is set.
func inverse1(s, v, u, x *field.Element, second bool) bool {
	if s.Sub(x, u).IsZero().Bool() {
		return false
	}
	// If x is the first candidate, encode needs s = x − u. r is a square root of −s·(4·(u³ + 7) +
	// 3·s·u²).
	var a, b, r field.Element
	setCurve(&a, u)
	a.MulSmall(&a, 4)
	b.Square(u)
	b.MulSmall(&b, 3)
	b.Mul(&b, s)
	a.Add(&a, &b)
	a.Mul(&a, s)
	a.Neg(&a)
	if !r.SqrtVartime(&a).Bool() || second && r.IsZero().Bool() {
		return false
	}
	// The second value that encode needs is v = (r/s − u)/2.
	v.InvertVartime(s)
	v.Mul(v, &r)
	v.Sub(v, u)
	v.Half(v)
	return true
}

// XElligatorSwift returns a random u and a t for which the pair (u, t) encodes the x coordinate x,
// both normalized. The error is always nil. The running time depends on x.
func XElligatorSwift(x *secp256k1.FieldVal) (u, t *secp256k1.FieldVal, err error) {
	for {
		var b [32]byte
		var choice [1]byte
		rand.Read(b[:])
		rand.Read(choice[:])
		ct.DeclassifyBytes(b[:]) // u is part of the public encoding
		ct.DeclassifyBytes(choice[:])
		u := new(secp256k1.FieldVal)
		u.SetBytes(&b)
		u.Normalize()
		if t := XSwiftECInv(u, x, int(choice[0]&7)); t != nil {
			return u, t, nil
		}
	}
}
