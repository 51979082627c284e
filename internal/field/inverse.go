package field

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/divsteps"
)

// modulus is p in the form that divsteps takes: 2^256 − p is the single word c.
// It is never modified.
//
//layers:allow a constant
var modulus = divsteps.NewModulus(C, 0, 0)

// Modulus returns p in the form that divsteps takes.
//
//ct:public returns a constant
func Modulus() divsteps.Modulus { return modulus }

// Invert sets v = 1/a, and returns v. The inverse of 0 is 0. The time does not depend on a.
func (v *Element) Invert(a *Element) *Element {
	l := a.Limbs()
	modulus.Invert(&l, &l)
	v.SetLimbs(l[0], l[1], l[2], l[3])
	ct.Wipe(l[:])
	return v
}

// InvertVartime sets v = 1/a, and returns v. The inverse of 0 is 0. The time depends on a.
func (v *Element) InvertVartime(a *Element) *Element {
	l := a.Limbs()
	modulus.InvertVartime(&l, &l)
	return v.SetLimbs(l[0], l[1], l[2], l[3])
}

// BatchInvertVartime inverts every element of v in place. It takes one inversion, and three
// multiplications per element (Montgomery's trick). Zeros stay zero. The time depends on the
// values. scratch must be at least as long as v and share no memory with it.
func BatchInvertVartime(v, scratch []Element) {
	scratch = scratch[:len(v)]
	var acc Element
	acc.One()
	for i := range v {
		scratch[i] = acc // the product of the nonzero elements before i
		if !v[i].IsZero().Bool() {
			acc.Mul(&acc, &v[i])
		}
	}
	acc.InvertVartime(&acc)
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].IsZero().Bool() {
			v[i].Zero()
			continue
		}
		var inv Element
		inv.Mul(&acc, &scratch[i])
		acc.Mul(&acc, &v[i])
		v[i] = inv
	}
}
