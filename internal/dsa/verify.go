//ct:public verifies signatures, which are public

package dsa

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Verify reports whether r and s are a signature of the number z by the key q (section 4.1.4). q is
// a point of the curve, and t is the split wNAF table of q, or nil. Verify returns false if r or s
// is zero. The time depends on all arguments.
func Verify(r, s, z *scalar.Scalar, q *point.Affine, t *vartime.SplitTable) bool {
	if anyZero(r, s) {
		return false
	}
	var R point.Jacobian
	nonceCommitment(&R, r, s, z, q, t)
	return vartime.EqualXModN(&R, r)
}

// VerifyRecoverable works like Verify, for a signature with a recovery id. It also returns false if
// id is not the recovery id of the nonce point that it computes.
func VerifyRecoverable(r, s, z *scalar.Scalar, q *point.Affine, id byte) bool {
	if anyZero(r, s) {
		return false
	}
	var R point.Jacobian
	nonceCommitment(&R, r, s, z, q, nil)
	var a point.Affine
	if !a.SetJacobianVartime(&R) {
		return false
	}
	var x [32]byte
	a.X.PutBytes(&x)
	var got scalar.Scalar
	want := byte(got.SetBytes(&x).Not()<<1 | a.Y.IsOdd())
	return got.Equal(r).Bool() && id == want
}

// nonceCommitment sets R = z/s·G + r/s·Q. For a valid signature, R is the nonce times G, or its
// negative. s must not be zero.
func nonceCommitment(
	R *point.Jacobian, r, s, z *scalar.Scalar, q *point.Affine, t *vartime.SplitTable,
) {
	var w, u1, u2 scalar.Scalar
	w.InvertVartime(s)
	u1.Mul(z, &w)
	u2.Mul(r, &w)
	vartime.DoubleScalarMultPrepared(R, &u1, &u2, q, t)
}

// NonceX sets x to the x coordinate of the nonce point: r, or r + n if bit 1 of the recovery id is
// set. It returns false if that number is not below p. The time depends on r and id.
func NonceX(x *field.Element, r *scalar.Scalar, id byte) bool {
	if id&2 != 0 {
		return vartime.AddOrder(x, r)
	}
	l := r.Limbs()
	x.SetLimbs(l[0], l[1], l[2], l[3])
	return true
}

// NoncePoint sets R to the point with the x coordinate x and a y coordinate whose parity is bit 0
// of the recovery id. It returns false if there is no such point. The time depends on x and id.
func NoncePoint(R *point.Affine, x *field.Element, id byte) bool {
	return R.LiftXVartime(x, ct.Choice(id&1)).Bool()
}

// Recover sets q to the key under which r and s are a signature of z with the nonce point R: (s·R -
// z·G)/r (section 4.1.6). It returns false if that point is infinity. r must not be zero. The time
// depends on all arguments.
func Recover(q *point.Affine, r, s, z *scalar.Scalar, R *point.Affine) bool {
	var w, u1, u2 scalar.Scalar
	w.InvertVartime(r)
	u2.Mul(s, &w)
	u1.Mul(z, &w)
	u1.Neg(&u1)
	var Q point.Jacobian
	vartime.DoubleScalarMult(&Q, &u1, &u2, R)
	return q.SetJacobianVartime(&Q)
}
