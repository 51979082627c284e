package scalar

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/divsteps"
)

// modulus is n in the form that divsteps takes. It is never modified.
//
//layers:allow a constant
var modulus = divsteps.NewModulus(d0, d1, d2)

// Modulus returns n in the form that divsteps takes.
//
//ct:public returns a constant
func Modulus() divsteps.Modulus { return modulus }

// Invert sets v = 1/a, and v = 0 if a = 0, in constant time.
func (v *Scalar) Invert(a *Scalar) *Scalar {
	//ct:secret a.l3 == 0
	l := a.Limbs()
	modulus.Invert(&l, &l)
	*v = Scalar{l[0], l[1], l[2], l[3]}
	ct.Wipe(l[:])
	return v
}

// InvertVartime sets v = 1/a, and v = 0 if a = 0. Its time depends on a.
func (v *Scalar) InvertVartime(a *Scalar) *Scalar {
	l := a.Limbs()
	modulus.InvertVartime(&l, &l)
	*v = Scalar{l[0], l[1], l[2], l[3]}
	return v
}

// BatchInvert replaces every element of v by its inverse. No element may be zero. It takes one
// inversion, and three multiplications per element (Montgomery's trick). scratch must be at least
// as long as v and must not overlap it; it is overwritten. The time depends only on the length.
func BatchInvert(v, scratch []Scalar) {
	scratch = scratch[:len(v)]
	// scratch[i] is the product of the elements before i.
	var product Scalar
	product.One()
	for i := range v {
		scratch[i] = product
		product.Mul(&product, &v[i])
	}
	//ct:secret product.IsOdd().Bool()
	// The loop runs from the end. Then product is the inverse of the product of elements 0 to i.
	product.Invert(&product)
	for i := len(v) - 1; i >= 0; i-- {
		scratch[i].Mul(&scratch[i], &product)
		product.Mul(&product, &v[i])
		v[i] = scratch[i]
	}
	product.Wipe()
}

// BatchInvertVartime replaces every element of v by its inverse; zeros remain zero. It takes one
// inversion, and three multiplications per element (Montgomery's trick). scratch must be at least
// as long as v and must not overlap it; it is overwritten. The time depends on the values.
func BatchInvertVartime(v, scratch []Scalar) {
	scratch = scratch[:len(v)]
	// scratch[i] is the product of the nonzero elements before i.
	var product Scalar
	product.One()
	for i := range v {
		scratch[i] = product
		if !v[i].IsZero().Bool() {
			product.Mul(&product, &v[i])
		}
	}
	// The loop runs from the end. Then product is the inverse of the product of elements 0 to i.
	product.InvertVartime(&product)
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].IsZero().Bool() {
			continue
		}
		scratch[i].Mul(&scratch[i], &product)
		product.Mul(&product, &v[i])
		v[i] = scratch[i]
	}
}
