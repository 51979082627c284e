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
	scratch = scratch[:len(v)]
	// Two running products, of the elements in even and in odd places: a
	// multiplication that waits for the one before takes twice the time.
	var one, t Element
	one.One()
	product := [2]Element{one, one}
	// scratch[i] is the product of those before i, with ones for zeros: one zero
	// would make all of them zero.
	for i := range v {
		scratch[i] = product[i%2]
		t.Select(v[i].IsZero(), &one, &v[i])
		product[i%2].Mul(&product[i%2], &t)
	}
	t.Mul(&product[0], &product[1])
	t.invertLanes()
	// From the end, each is the inverse of the product of those up to i.
	product[0].Mul(&product[0], &t)
	product[1].Mul(&product[1], &t)
	product[0], product[1] = product[1], product[0]
	for i := len(v) - 1; i >= 0; i-- {
		zero := v[i].IsZero()
		t.Select(zero, &one, &v[i])
		scratch[i].Mul(&scratch[i], &product[i%2])
		product[i%2].Mul(&product[i%2], &t)
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
