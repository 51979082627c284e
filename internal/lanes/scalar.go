package lanes

import (
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Scalar is eight integers modulo n, the order of the group, one a lane, in
// limbs as those of an [Element]. It is always canonical: below n, limbs 0 to 3
// below 2^52 and limb 4 below 2^48. The zero value is zero in every lane.
//
// Methods set their receiver to the result, in all lanes alike. The receiver may
// be any of the arguments.
type Scalar [5]Vector

// SetLane sets lane j of v to a, and leaves the others as they are.
func (v *Scalar) SetLane(j int, a *scalar.Scalar) {
	l := a.Limbs()
	e := split52(l[0], l[1], l[2], l[3])
	v.put(j, &e)
}

// Lane sets out to lane j of a.
func (a *Scalar) Lane(j int, out *scalar.Scalar) {
	e := (*Element)(a).get(j)
	l0, l1, l2, l3 := e.join64()
	out.SetLimbs(&[4]uint64{l0, l1, l2, l3})
}

func (v *Scalar) put(j int, e *limbs) { (*Element)(v).put(j, e) }

// Mul sets v = a·b.
func (v *Scalar) Mul(a, b *Scalar) { mulScalar(v, a, b) }

// Add sets v = a + b.
func (v *Scalar) Add(a, b *Scalar) {
	for j := range Width {
		var x, y scalar.Scalar
		a.Lane(j, &x)
		b.Lane(j, &y)
		v.SetLane(j, x.Add(&x, &y))
	}
}

// Sub sets v = a − b.
func (v *Scalar) Sub(a, b *Scalar) {
	for j := range Width {
		var x, y scalar.Scalar
		a.Lane(j, &x)
		b.Lane(j, &y)
		v.SetLane(j, x.Sub(&x, &y))
	}
}

// Neg sets v = −a.
func (v *Scalar) Neg(a *Scalar) { v.Sub(&Scalar{}, a) }

// IsZero returns the lanes in which a = 0.
func (a *Scalar) IsZero() Mask {
	return isZero((*Element)(a)) // below n, which is below p
}

// Select sets v to a in the lanes of m, and to b in the others.
func (v *Scalar) Select(m Mask, a, b *Scalar) {
	selectLanes((*Element)(v), m, (*Element)(a), (*Element)(b))
}

// BatchInvertScalars replaces every lane of every element of v by its inverse,
// with three multiplications an element and one inversion in all (Montgomery's
// trick), and leaves zeros as they are. scratch has at least the length of v,
// does not overlap it, and is overwritten. The time depends on the length alone.
func BatchInvertScalars(v, scratch []Scalar) {
	if len(v) == 0 {
		return
	}
	scratch = scratch[:len(v)]
	// Two running products, of the elements in even and in odd places: a
	// multiplication that waits for the one before takes twice the time.
	var one, t Scalar
	one[0] = Vector{1, 1, 1, 1, 1, 1, 1, 1}
	product := [2]Scalar{one, one}
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
		v[i].Select(zero, &Scalar{}, &scratch[i])
	}
}

// invertLanes replaces the lanes of v, none of which is zero, by their inverses,
// with one inversion.
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
