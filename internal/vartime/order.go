package vartime

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A coordinate is below p and a scalar below n, and n < p < 2n. The number r of an ECDSA signature
// is x mod n for a coordinate x, so x is r, or r + n if r + n is below p.

// The limbs of p − n, least significant first. The fourth limb is zero.
const (
	pMinusN0 = 1<<64 - field.C - scalar.N0
	pMinusN1 = 1<<64 - 1 - scalar.N1
	pMinusN2 = 1<<64 - 1 - scalar.N2
)

// AddOrder sets x = r + n and returns true if r + n is below p and so can be a coordinate.
// Otherwise it leaves x unchanged and returns false. The time depends on r.
func AddOrder(x *field.Element, r *scalar.Scalar) bool {
	l := r.Limbs()
	if !belowPMinusN(&l) {
		return false
	}
	var n field.Element
	n.SetLimbs(scalar.N0, scalar.N1, scalar.N2, scalar.N3)
	x.SetLimbs(l[0], l[1], l[2], l[3])
	x.Add(x, &n).Normalize()
	return true
}

// belowPMinusN reports whether the number with the limbs l is below p − n. p − n is about 2¹²⁸.
func belowPMinusN(l *[4]uint64) bool {
	switch {
	case l[3] != 0 || l[2] > pMinusN2:
		return false
	case l[2] < pMinusN2:
		return true
	case l[1] != pMinusN1:
		return l[1] < pMinusN1
	}
	return l[0] < pMinusN0
}

// EqualXModN reports whether R is finite and its x coordinate is congruent to r
// modulo n (SEC 1 version 2, section 4.1.4, steps 5 to 8). One or two coordinates
// are congruent to r; each is compared with X/Z² without an inversion. The time
// depends on both arguments.
func EqualXModN(R *point.Jacobian, r *scalar.Scalar) bool {
	l := r.Limbs()
	var x field.Element
	x.SetLimbs(l[0], l[1], l[2], l[3])
	if R.EqualX(&x).Bool() {
		return true
	}
	return AddOrder(&x, r) && R.EqualX(&x).Bool()
}

// EvenWithX reports whether R is finite, has the x coordinate x, and has an even y coordinate
// ("Verification" of BIP-340, the last three steps). The time depends on both arguments.
func EvenWithX(R *point.Jacobian, x *field.Element) bool {
	// Compare x first, without an inversion: most wrong signatures fail here.
	if !R.EqualX(x).Bool() {
		return false
	}
	var a point.Affine
	return a.SetJacobianVartime(R) && !a.Y.IsOdd().Bool()
}
