package point

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// b is the constant of the curve equation y² = x³ + b.
const b = 7

// LiftX sets a to the point with the given x coordinate whose y is odd if isOdd is 1, and even if
// it is 0, and returns 1. If the curve has no point with this x, it returns 0, and a holds
// coordinates of no point. (SEC 1, section 2.3.4; BIP-340, lift_x.)
func (a *Affine) LiftX(x *field.Element, isOdd ct.Choice) ct.Choice {
	return a.liftX(x, isOdd, b, false)
}

// LiftXVartime computes the same as LiftX, in time that depends on x: for public data only.
func (a *Affine) LiftXVartime(x *field.Element, odd ct.Choice) ct.Choice {
	return a.liftX(x, odd, b, true)
}

// LiftXBytesVartime is LiftXVartime for the x coordinate encoded in b: 32 bytes, big-endian.
// inField reports whether x is below p. onCurve reports whether also the curve has a point with
// this x.
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
	// y ≠ 0, because −7 has no cube root modulo p. So one of the two square roots is odd and the
	// other is even.
	a.Y.CondNeg(&y, y.IsOdd()^odd)
	return ok
}

// IsOnCurve returns 1 if the coordinates of a satisfy the curve equation, and 0 if not.
func (a *Affine) IsOnCurve() ct.Choice { return a.isOnCurve(b) }

func (a *Affine) isOnCurve(b uint64) ct.Choice {
	var l, r field.Element
	l.Square(&a.Y)
	r.Square(&a.X)
	r.Mul(&r, &a.X)
	r.Add(&r, new(field.Element).SetUint64(b))
	return l.Equal(&r)
}
