package vartime

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A coordinate is below p and a scalar below n, and n < p < 2n. The number r of an ECDSA signature
// is x mod n for a coordinate x, so x is r, or r + n if r + n is below p.

// AddOrder sets x = r + n and returns true if r + n is below p and so can be a coordinate.
// Otherwise it leaves x unchanged and returns false. The time depends on r.
func AddOrder(x *field.Element, r *scalar.Scalar) bool {
	l := r.Limbs()
	if l[3] != 0 || l[2] > 1 {
		return false // p − n is below 2¹²⁹
	}
	var sum, n field.Element
	n.SetLimbs(scalar.N0, scalar.N1, scalar.N2, scalar.N3)
	sum.SetLimbs(l[0], l[1], l[2], l[3])
	sum.Add(&sum, &n).Normalize()
	// If r + n is below p, sum is r + n, which is not below n. Otherwise sum is r + n − p, which is
	// below r and so below n. So comparing sum with n tells the two cases apart.
	var b [32]byte
	sum.PutBytes(&b)
	if new(scalar.Scalar).SetBytes(&b).Bool() {
		return false
	}
	*x = sum
	return true
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
