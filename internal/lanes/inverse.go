package lanes

import "github.com/koblitz-go/koblitz/internal/field"

// BatchInvert replaces every lane of every element of v by its inverse, with
// three multiplications an element and one inversion in all (Montgomery's
// trick). Zeros become canonical zeros. scratch has at least the length of v,
// does not overlap it, and is overwritten. The time depends on the length alone.
func BatchInvert(v, scratch []Element) {
	if len(v) == 0 {
		return
	}
	var p Products
	root := p.Start(v, scratch)
	root.invertLanes()
	p.Finish(v, scratch, &root)
}

// Products are those of the elements in even and in odd places: a multiplication
// that waits for the one before takes twice the time.
type Products [2]Element

// Start is the first half of [BatchInvert]. It returns the product of all that is
// not zero in a lane, for each lane; Finish wants its inverses, and v and scratch
// as Start left them.
func (p *Products) Start(v, scratch []Element) (root Element) {
	scratch = scratch[:len(v)]
	var one, t Element
	one.One()
	p[0], p[1] = one, one
	// scratch[i] is the product of those before i, with ones for zeros: one zero
	// would make all of them zero.
	for i := range v {
		scratch[i] = p[i%2]
		t.Select(v[i].IsZero(), &one, &v[i])
		p[i%2].Mul(&p[i%2], &t)
	}
	root.Mul(&p[0], &p[1])
	return root
}

// Finish is the second half.
func (p *Products) Finish(v, scratch []Element, inverse *Element) {
	scratch = scratch[:len(v)]
	var one, t Element
	one.One()
	// From the end, each is the inverse of the product of those up to i.
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

// invertLanes replaces the lanes of v, none of which is zero, by their inverses,
// with one inversion. A chain of multiplications in all lanes takes longer.
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
