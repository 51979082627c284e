package swiftec

import (
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Mult sets x to the x coordinate of k·P, 32 bytes, big-endian, where P is a point with the x
// coordinate r. If k is 0, it sets x to zeros. The time does not depend on k. Mult leaves secrets
// on the stack, so callers run it inside secret.DoDeep.
//
// Mult returns false, and sets x to zeros, if r is not the coordinate of a point, or if the product
// is not on the curve of P. After a fault that changed the coordinates, the product is on a curve
// with points of small order, and with others could reveal k (Biehl, Meyer, Müller, CRYPTO 2000).
// So is the quadratic twist, where a fault of Decode leads: it may take the wrong candidate.
//
// It needs no y coordinate. With x = n/d, v = (x³ + 7)·d⁴ and e = v·d², the point (x·e, v²·d) is on
// the curve y² = x³ + 7·e³, because v is a square. This curve is isomorphic to secp256k1, and the
// isomorphism multiplies x by e. The formulas of the multiplication do not use the constant 7.
func (r *X) Mult(x *[32]byte, k *scalar.Scalar) bool {
	//ct:secret k.IsOdd().Bool()
	if !r.isPoint() { //ct:unrun no case makes a fault
		*x = [32]byte{}
		return false
	}
	var a point.Affine
	a.X.Mul(&r.n, &r.d)
	a.X.Mul(&a.X, &r.v)
	a.Y.Square(&r.v)
	a.Y.Mul(&a.Y, &r.d)
	var p point.Jacobian
	ecmult.ScalarMultIsomorphic(&p, k, &a)
	//ct:secret p.X.IsOdd().Bool()

	// The product is (X, Y, Z) on the isomorphic curve. On secp256k1, its x coordinate is X/(Z²·e),
	// with e = v·d² as above.
	var e field.Element
	e.Square(&r.d)
	e.Mul(&e, &r.v)
	p.Z.Square(&p.Z)
	p.Z.Mul(&p.Z, &e)
	//ct:secret p.Z.IsOdd().Bool()

	// With w = Z²·e, the product is on the curve if Y² = X³ + 7·w³. It is infinity if w is 0.
	var left, right, cube field.Element
	right.Square(&p.X)
	right.Mul(&right, &p.X)
	cube.Square(&p.Z)
	cube.Mul(&cube, &p.Z)
	cube.MulSmall(&cube, 7)
	right.Add(&right, &cube)
	left.Square(&p.Y)
	onCurve := left.Equal(&right) | p.Z.IsZero()
	p.X.Select(onCurve, &p.X, new(field.Element))
	p.Z.Invert(&p.Z)
	//ct:secret p.Z.IsOdd().Bool()
	p.X.Mul(&p.X, &p.Z)
	//ct:secret p.X.IsOdd().Bool()
	p.X.PutBytes(x)
	//ct:secret x[0] == 0
	p.Wipe()
	left.Wipe()
	right.Wipe()
	cube.Wipe()
	return onCurve.Reveal()
}
