package lanes

import "github.com/koblitz-go/koblitz/internal/field"

// Running sets scratch[i+2] to the product of v[i] and all elements before it whose index has the
// same parity, and product to the product of all elements of v. scratch must be longer than v by 2.
//
// One running product of all elements would take twice the time, because each multiplication would
// wait for the previous one.
func Running(scratch, v []Element, product *Element) {
	scratch[0].One()
	scratch[1].One()
	for i := range v {
		scratch[i+2].Mul(&scratch[i], &v[i])
	}
	product.Mul(&scratch[len(v)], &scratch[len(v)+1])
}

// Inverses returns the inverses of the elements of v (Montgomery's trick). Running must have set
// scratch and the product of v, and inverse is the inverse of this product. The result is part of
// scratch.
func Inverses(scratch, v []Element, inverse *Element) []Element {
	n := len(v)
	// In the loop, p[i%2] is the inverse of scratch[i+2].
	var p [2]Element
	p[n%2].Mul(&scratch[n+1], inverse)
	p[(n+1)%2].Mul(&scratch[n], inverse)
	for i := n - 1; i >= 0; i-- {
		scratch[i+2].Mul(&scratch[i], &p[i%2])
		p[i%2].Mul(&p[i%2], &v[i])
	}
	return scratch[2:][:n]
}

// InvertLanes sets every lane of v to the inverse of this lane of a. No lane may be zero. It
// multiplies the lanes to share one inversion.
func (v *Element) InvertLanes(a *Element) {
	var rows [Width][4]uint64
	var e, before [Width]field.Element // before[j] is the product of e[0] to e[j-1]
	var p field.Element
	a.Limbs(&rows)
	p.One()
	for j := range e {
		e[j].SetLimbs(rows[j][0], rows[j][1], rows[j][2], rows[j][3])
		before[j] = p
		p.Mul(&p, &e[j])
	}
	p.Invert(&p)
	for j := Width - 1; j >= 0; j-- {
		before[j].Mul(&before[j], &p)
		p.Mul(&p, &e[j])
		r := &rows[j]
		r[0], r[1], r[2], r[3] = before[j].Words()
	}
	v.SetLimbs(&rows)
}
