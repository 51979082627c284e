package secp256k1

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A JacobianPoint is the point (X/Z², Y/Z³). It is infinity if Z is 0, or if X and Y are both 0, so
// the zero value is infinity.
type JacobianPoint struct {
	X, Y, Z FieldVal
}

// MakeJacobianPoint returns the point with the Jacobian coordinates x, y and z.
func MakeJacobianPoint(x, y, z *FieldVal) JacobianPoint {
	return JacobianPoint{X: *x, Y: *y, Z: *z}
}

// Set sets p = other.
func (p *JacobianPoint) Set(other *JacobianPoint) { *p = *other }

// ToAffine converts p to Z = 1, with normalized coordinates. Infinity becomes (0, 0, 1). The
// running time depends only on whether Z was 1 before.
func (p *JacobianPoint) ToAffine() { secret.Do(p.divide) }

// divide does the work of ToAffine. It leaves secrets on the stack.
func (p *JacobianPoint) divide() {
	var one field.Element
	if !p.Z.element().Equal(one.One()).Reveal() {
		var inverse, square field.Element
		inverse.Invert(p.Z.element())
		//ct:secret inverse.IsOdd().Bool()
		square.Square(&inverse)
		p.X.element().Mul(p.X.element(), &square)
		square.Mul(&square, &inverse)
		p.Y.element().Mul(p.Y.element(), &square)
		inverse.Wipe()
		square.Wipe()
	}
	p.X.Normalize()
	p.Y.Normalize()
	p.Z.SetInt(1) // Z may be p + 1 here, which is not normalized
	//ct:secret p.Y.IsOdd()
}

// EquivalentNonConst reports whether p and other are the same point. The running time depends on
// both points.
//
//ct:public reveals exceptional cases, as its documentation says
func (p *JacobianPoint) EquivalentNonConst(other *JacobianPoint) bool {
	var q, r point.Jacobian
	p.get(&q)
	other.get(&r)
	return q.Equal(&r).Bool()
}

// AddNonConst sets result = p1 + p2, with normalized coordinates. If the sum is infinity, the
// result is all zeros. If one operand is infinity, the result is the other operand unchanged. The
// running time depends on whether a point is infinity, whether the points are equal or opposite,
// and which denominators are 1 or equal.
//
// The coordinates are those of the replaced module: Z = 2·Z1·Z2·H, where H is the difference of the
// numerators of the x coordinates over their common denominator, or Z = Z1·H if Z1 and Z2 are equal
// and not 1.
//
//ct:public reveals exceptional cases, as its documentation says
func AddNonConst(p1, p2, result *JacobianPoint) {
	if p1.isInfinity() {
		result.Set(p2)
		return
	}
	if p2.isInfinity() {
		result.Set(p1)
		return
	}
	p := point.Jacobian{X: *p1.X.element(), Y: *p1.Y.element(), Z: *p1.Z.element()}
	a := point.Affine{X: *p2.X.element(), Y: *p2.Y.element()}
	switch {
	case p2.Z.IsOne():
		p.AddMixedVartime(&p, &a)
	case p1.Z.Equals(&p2.Z):
		// Compute the sum with Z = 1, on the curve isomorphic to secp256k1 that the comment on the
		// function mult describes.
		p.Z.One()
		p.AddMixedVartime(&p, &a)
		p.Z.Mul(&p.Z, p1.Z.element())
		if !p1.X.element().Equal(p2.X.element()).Bool() {
			result.put(&p)
			return
		}
	default:
		p.AddVartime(&p, &point.Jacobian{X: a.X, Y: a.Y, Z: *p2.Z.element()})
	}
	result.putTwice(&p)
}

// DoubleNonConst sets result = 2·p, with normalized coordinates, where Z is twice the product of Y
// and Z of p. If the result is infinity, it is all zeros. The running time does not depend on p.
func DoubleNonConst(p, result *JacobianPoint) {
	secret.Do(func() {
		// In every representation of infinity, Y·Z is 0, and so is the new Z.
		q := point.Jacobian{X: *p.X.element(), Y: *p.Y.element(), Z: *p.Z.element()}
		q.Double(&q)
		result.putTwice(&q)
	})
}

// DecompressY sets resultY to the y coordinate, odd or even, of the point with the x coordinate x,
// and reports whether there is such a point. If not, it sets resultY to a square root of −x³ − 7,
// with the parity that [FieldVal.SquareRootVal] gives. resultY is normalized. The running time does
// not depend on x.
func DecompressY(x *FieldVal, odd bool, resultY *FieldVal) bool {
	var parity ct.Choice
	if odd {
		parity = 1
	}
	var square, root field.Element
	square.Square(x.element())
	square.Mul(&square, x.element())
	square.Add(&square, new(field.Element).SetUint64(7))
	onCurve := root.Sqrt(&square)
	root.CondNeg(&root, (root.IsOdd()^parity)&onCurve)
	*resultY = FieldVal(root)
	resultY.Normalize()
	return onCurve.Bool()
}

// isInfinity reports whether p is infinity.
//
//ct:public only functions that may leak call it
func (p *JacobianPoint) isInfinity() bool { return p.infinity().Bool() }

// infinity returns 1 if p is infinity, otherwise 0.
func (p *JacobianPoint) infinity() ct.Choice {
	origin := p.X.element().IsZero() & p.Y.element().IsZero()
	return origin | p.Z.element().IsZero()
}

// get sets q to the point p.
//
//ct:public only functions that may leak call it
func (p *JacobianPoint) get(q *point.Jacobian) {
	if p.isInfinity() {
		q.SetInfinity()
		return
	}
	q.X, q.Y, q.Z = *p.X.element(), *p.Y.element(), *p.Z.element()
}

// put sets p to the point q, with normalized coordinates, or to zeros for infinity.
func (p *JacobianPoint) put(q *point.Jacobian) {
	//ct:secret q.X.IsOdd().Bool()
	finite := q.IsInfinity().Not()
	var zero field.Element
	p.X.element().Select(finite, &q.X, &zero)
	p.Y.element().Select(finite, &q.Y, &zero)
	p.Z.element().Select(finite, &q.Z, &zero)
	p.X.Normalize()
	p.Y.Normalize()
	p.Z.Normalize()
}

// putTwice sets p to the point q with the coordinates (4·X, 8·Y, 2·Z), where X, Y and Z are those
// of q. Doubling formulas without a division by 2 give these coordinates. Like put, putTwice
// normalizes. It overwrites q.
func (p *JacobianPoint) putTwice(q *point.Jacobian) {
	q.X.MulSmall(&q.X, 4)
	q.Y.MulSmall(&q.Y, 8)
	q.Z.Double(&q.Z)
	//ct:secret q.Z.IsOdd().Bool()
	p.put(q)
}
