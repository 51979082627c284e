package lanes

import "github.com/koblitz-go/koblitz/internal/scalar"

// A Scalar is eight integers modulo n, the order of the group, one per lane, in
// limbs like those of an [Element]. It is always canonical: below n, limbs 0 to 3
// below 2^52 and limb 4 below 2^48. The zero value is zero in every lane.
//
// Methods set their receiver to the result, in all lanes. The receiver may be any
// of the arguments.
type Scalar [5]Vector

// SetLane sets lane j of v to a, and leaves all other lanes unchanged.
func (v *Scalar) SetLane(j int, a *scalar.Scalar) {
	l := a.Limbs()
	e := split52(l[0], l[1], l[2], l[3])
	v.put(j, &e)
}

// Lane sets dst to lane j of a.
func (a *Scalar) Lane(j int, dst *scalar.Scalar) {
	e := (*Element)(a).get(j)
	l0, l1, l2, l3 := e.join64()
	dst.SetLimbs(&[4]uint64{l0, l1, l2, l3})
}

func (v *Scalar) put(j int, e *limbs) { (*Element)(v).put(j, e) }

// Mul sets v = a·b.
func (v *Scalar) Mul(a, b *Scalar) { mulScalar(v, a, b) }

// IsZero returns the mask of the lanes in which a = 0.
func (a *Scalar) IsZero() Mask {
	return isZero((*Element)(a)) // a is below n, and n is below p
}

// Select sets v to a in the lanes of m, and to b in all other lanes.
func (v *Scalar) Select(m Mask, a, b *Scalar) {
	selectLanes((*Element)(v), m, (*Element)(a), (*Element)(b))
}

// BatchInvertScalars replaces every lane of every element of v by its inverse, and
// leaves zeros unchanged. It takes one inversion, and three multiplications per
// element (Montgomery's trick). scratch must be at least as long as v and must not
// overlap it; it is overwritten. The time depends only on the length.
func BatchInvertScalars(v, scratch []Scalar) {
	if len(v) == 0 {
		return
	}
	scratch = scratch[:len(v)]
	// product[0] and product[1] are two running products: of the elements with even and of those
	// with odd index. A single product would take twice the time: each multiplication would wait
	// for the previous one.
	var one, t Scalar
	one[0] = Vector{1, 1, 1, 1, 1, 1, 1, 1}
	product := [2]Scalar{one, one}
	// scratch[i] is the product of the elements before i whose index has the same parity. A zero
	// counts as one: otherwise it would make all products zero.
	for i := range v {
		scratch[i] = product[i%2]
		t.Select(v[i].IsZero(), &one, &v[i])
		product[i%2].Mul(&product[i%2], &t)
	}
	t.Mul(&product[0], &product[1])
	t.invertLanes()
	// The loop runs from the end. product[i%2] is the inverse of the product of the elements up to
	// i whose index has the same parity.
	product[0].Mul(&product[0], &t)
	product[1].Mul(&product[1], &t)
	product[0], product[1] = product[1], product[0]
	for i := len(v) - 1; i >= 0; i-- {
		zero := v[i].IsZero()
		t.Select(zero, &one, &v[i])
		scratch[i].Mul(&scratch[i], &product[i%2])
		product[i%2].Mul(&product[i%2], &t)
		v[i].Select(zero, &Scalar{}, &scratch[i])
	}
}

// invertLanes replaces every lane of v by its inverse. No lane may be zero. It multiplies the lanes
// to share one inversion.
func (v *Scalar) invertLanes() {
	var lane, prefix [Width]scalar.Scalar
	var product scalar.Scalar
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

func mulScalarGeneric(v, a, b *Scalar) {
	for j := range Width {
		var x, y scalar.Scalar
		a.Lane(j, &x)
		b.Lane(j, &y)
		v.SetLane(j, x.Mul(&x, &y))
	}
}
