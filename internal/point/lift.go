package point

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// b is the constant of the curve equation y² = x³ + b.
const b = 7

// LiftX sets a to the point with the coordinate x whose y is odd if odd is 1
// and even if it is 0. It returns 1, or 0 if the curve has no such point; a
// then holds coordinates that are not a point's. (SEC 1, section 2.3.4;
// BIP-340, lift_x.)
func (a *Affine) LiftX(x *field.Element, odd ct.Choice) ct.Choice {
	return a.liftX(x, odd, b, false)
}

// LiftXVartime is LiftX in a time that depends on x: for public data only.
func (a *Affine) LiftXVartime(x *field.Element, odd ct.Choice) ct.Choice {
	return a.liftX(x, odd, b, true)
}

// LiftXBytesVartime is LiftXVartime for the coordinate that b encodes, 32 bytes, big-endian.
// inField reports whether it is below p, and onCurve whether the curve has such a point as well.
func (a *Affine) LiftXBytesVartime(b *[32]byte, odd ct.Choice) (inField, onCurve bool) {
	var x field.Element
	if !x.SetBytes(b).Bool() {
		return false, false
	}
	return true, a.LiftXVartime(&x, odd).Bool()
}

func (a *Affine) liftX(x *field.Element, odd ct.Choice, b uint64, vartime bool) ct.Choice {
	var y field.Element
	var ok ct.Choice
	y.Square(x)
	y.Mul(&y, x)
	y.Add(&y, new(field.Element).SetUint64(b))
	if vartime {
		ok = y.SqrtVartime(&y)
	} else {
		ok = y.Sqrt(&y)
	}
	a.X.Set(x)
	// y is not zero: −7 has no cube root modulo p, so that both parities exist.
	a.Y.CondNeg(&y, y.IsOdd()^odd)
	return ok
}

// IsOnCurve returns 1 if the coordinates of a satisfy the curve equation.
func (a *Affine) IsOnCurve() ct.Choice { return a.isOnCurve(b) }

func (a *Affine) isOnCurve(b uint64) ct.Choice {
	var l, r field.Element
	l.Square(&a.Y)
	r.Square(&a.X)
	r.Mul(&r, &a.X)
	r.Add(&r, new(field.Element).SetUint64(b))
	return l.Equal(&r)
}
