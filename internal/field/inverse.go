package field

// Invert sets v = 1/a, and returns v. The inverse of 0 is 0. The time does not
// depend on a.
func (v *Element) Invert(a *Element) *Element {
	return v.fermat(a)
}

// InvertVartime is [Element.Invert] in a time that depends on a.
func (v *Element) InvertVartime(a *Element) *Element {
	return v.fermat(a)
}

// BatchInvertVartime inverts every element of v in place, with one inversion
// and three multiplications an element (Montgomery's trick). Zeros stay zero.
// The time depends on the values. scratch must be at least as long as v and
// share no memory with it.
func BatchInvertVartime(v, scratch []Element) {
	scratch = scratch[:len(v)]
	var acc Element
	acc.One()
	for i := range v {
		scratch[i] = acc // the product of the nonzero ones before i
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

// fermat sets v = a^(p−2).
func (v *Element) fermat(a *Element) *Element {
	x, r := *a, Element{l0: 1}
	e := [4]uint64{p0 - 2, p1, p2, p3}
	for i := 255; i >= 0; i-- {
		r.Square(&r)
		if e[i/64]>>(i%64)&1 == 1 {
			r.Mul(&r, &x)
		}
	}
	return v.Set(&r)
}
