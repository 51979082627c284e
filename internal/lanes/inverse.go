package lanes

import "github.com/koblitz-go/koblitz/internal/field"

// BatchInvert replaces every lane of every element of v by its inverse. It takes
// one inversion, and three multiplications per element (Montgomery's trick). Zeros
// become canonical zeros. scratch must be at least as long as v and must not
// overlap it; it is overwritten. The time depends only on the length.
func BatchInvert(v, scratch []Element) {
	if len(v) == 0 {
		return
	}
	var p Products
	root := p.Start(v, scratch)
	root.invertLanes()
	p.Finish(v, scratch, &root)
}

// Products holds two running products: of the elements with even and of those with odd index. A
// single product would take twice the time, because each multiplication would wait for the previous
// one.
type Products [2]Element

// Start is the first half of [BatchInvert]. It returns, for each lane, the product of all nonzero
// values. The caller passes the inverse of this product to Finish, with v and scratch as Start left
// them.
func (p *Products) Start(v, scratch []Element) (root Element) {
	scratch = scratch[:len(v)]
	var one, t Element
	one.One()
	p[0], p[1] = one, one
	// scratch[i] is the product of the elements before i whose index has the same parity. A zero
	// counts as one: otherwise it would make all products zero.
	for i := range v {
		scratch[i] = p[i%2]
		t.Select(v[i].IsZero(), &one, &v[i])
		p[i%2].Mul(&p[i%2], &t)
	}
	root.Mul(&p[0], &p[1])
	return root
}

// Finish is the second half of [BatchInvert]. inverse is the inverse of Start's result.
func (p *Products) Finish(v, scratch []Element, inverse *Element) {
	scratch = scratch[:len(v)]
	var one, t Element
	one.One()
	// The loop runs from the end. p[i%2] is the inverse of the product of the elements up to i
	// whose index has the same parity.
	p[0].Mul(&p[0], inverse)
	p[1].Mul(&p[1], inverse)
	p[0], p[1] = p[1], p[0]
	for i := len(v) - 1; i >= 0; i-- {
		zero := v[i].IsZero()
		t.Select(zero, &one, &v[i])
		scratch[i].Mul(&scratch[i], &p[i%2])
		p[i%2].Mul(&p[i%2], &t)
		v[i].Select(zero, &Element{}, &scratch[i])
	}
}

// invertLanes replaces every lane of v by its inverse. No lane may be zero. It multiplies the lanes
// to share one inversion; an exponentiation in all lanes would take longer.
func (v *Element) invertLanes() {
	var lane, prefix [Width]field.Element
	var product field.Element
	product.One()
	for j := range lane {
		v.Lane(j, &lane[j])
		prefix[j] = product
		product.Mul(&product, &lane[j])
	}
	product.Invert(&product)
	for j := Width - 1; j >= 0; j-- {
		prefix[j].Mul(&prefix[j], &product)
		product.Mul(&product, &lane[j])
		v.SetLane(j, &prefix[j])
	}
}
