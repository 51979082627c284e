package lanes

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/field"
)

// This file holds the portable version of the kernels, which computes one lane after another. It
// computes with the same limbs: products of 52 bits in two halves, which ignore the bits of a
// factor from 52 up. So it is the oracle of the kernels in every lane, and gives the same wrong
// results if a caller passes elements that are not reduced.

const (
	mask52 = 1<<52 - 1
	mask48 = 1<<48 - 1

	// c is 2^256 mod p.
	c = field.C
)

// limbs holds the limbs of one lane of an Element or a Scalar.
type limbs [5]uint64

// columns holds sums of products of limbs before they are reduced. Column i has the weight
// 2^(52·i).
type columns [10]uint64

func (v *Element) get(j int) limbs {
	j = place(j)
	return limbs{v[0][j], v[1][j], v[2][j], v[3][j], v[4][j]}
}

func (v *Element) put(j int, e *limbs) {
	j = place(j)
	v[0][j], v[1][j], v[2][j], v[3][j], v[4][j] = e[0], e[1], e[2], e[3], e[4]
}

// split52 converts a number of 256 bits from limbs of 64 bits to limbs of 52 bits.
func split52(l0, l1, l2, l3 uint64) limbs {
	return limbs{
		l0 & mask52,
		(l0>>52 | l1<<12) & mask52,
		(l1>>40 | l2<<24) & mask52,
		(l2>>28 | l3<<36) & mask52,
		l3 >> 16,
	}
}

// join64 is the inverse of split52, for limbs of a canonical value.
func (e *limbs) join64() (l0, l1, l2, l3 uint64) {
	return e[0] | e[1]<<52, e[1]>>12 | e[2]<<40, e[2]>>24 | e[3]<<28, e[3]>>36 | e[4]<<16
}

// mul52 returns the product of the lowest 52 bits of a and of b in two halves: hi is its bits from
// 52 up, and lo its lowest 52 bits.
func mul52(a, b uint64) (hi, lo uint64) {
	h, l := bits.Mul64(a&mask52, b&mask52)
	return h<<12 | l>>52, l & mask52
}

// addProduct adds a·b to z. Limbs of factors are below 2^52, so after two products
// of five by five limbs every column is below 20·2^52.
func (z *columns) addProduct(a, b *limbs) {
	for i, x := range a {
		for j, y := range b {
			hi, lo := mul52(x, y)
			z[i+j] += lo
			z[i+j+1] += hi
		}
	}
}

// reduce sets e to the residue of z modulo p, with reduced limbs. z must be the sum of at most two
// products of reduced elements, or one product of any factors.
//
// Column 9 is the high half of one product, so it is below 2^52. It is folded first. Column 8 is
// then the highest. Its bits above 52 are multiplied by 2^260 mod p and added to column 4. Columns
// 0 to 4 are then below 2^57.
func (e *limbs) reduce(z *columns) {
	//ct:secret z[0]&1 == 1
	const r = c << 4
	hi, lo := mul52(z[9], r)
	z[5] += hi
	z[4] += lo
	for i := 5; i < 8; i++ {
		z[i+1] += z[i] >> 52
	}
	for i := range 4 {
		hi, lo := mul52(z[i+5], r)
		z[i] += lo
		z[i+1] += hi
	}
	z[4] += z[8] >> 52 * r
	copy(e[:], z[:5])
	e.carry()
}

// carry makes the limbs of e reduced. On entry the limbs may be signed and less than 2^60 in
// absolute value, and the value of e must not be negative.
func (e *limbs) carry() {
	e.chain()
	top := e[4] >> 48 // not negative, because the value is not negative
	e[4] &= mask48
	e[0] += top * c // below 2^45
	e.chain()       // adds at most one to limb 4
}

// chain carries the bits above 52 of limbs 0 to 3, which are signed, into the limbs above.
func (e *limbs) chain() {
	for i := range 4 {
		e[i+1] += uint64(int64(e[i]) >> 52)
		e[i] &= mask52
	}
}

// normalize replaces the limbs of a reduced element by those of its canonical value.
func (e *limbs) normalize() {
	e.carry() // below 2^256 + 2^34, hence below 2p
	// After adding c = 2^256 - p, bit 256 shows whether the value was at least p. If so, the sum
	// without this bit is the value minus p.
	t := *e
	t[0] += c
	t.chain()
	m := -(t[4] >> 48)
	for i := range e {
		e[i] ^= m & (e[i] ^ t[i])
	}
	e[4] &= mask48
}

func mulGeneric(v, a, b *Element) {
	for j := range Width {
		var z columns
		x, y := a.get(j), b.get(j)
		z.addProduct(&x, &y)
		x.reduce(&z)
		v.put(j, &x)
	}
}

func squareNGeneric(v, a *Element, n int) {
	for j := range Width {
		x := a.get(j)
		for range n {
			var z columns
			z.addProduct(&x, &x)
			x.reduce(&z)
		}
		v.put(j, &x)
	}
}

func squareNPairGeneric(v, a *[2]Element, n int) {
	squareNGeneric(&v[0], &a[0], n)
	squareNGeneric(&v[1], &a[1], n)
}

// mulAdd sets v = a·b + c·d modulo p. Only the portable formulas of points use it: a kernel
// computes a whole formula.
func mulAdd(v, a, b, c, d *Element) {
	for j := range Width {
		var z columns
		x, y := a.get(j), b.get(j)
		z.addProduct(&x, &y)
		x, y = c.get(j), d.get(j)
		z.addProduct(&x, &y)
		x.reduce(&z)
		v.put(j, &x)
	}
}

func addGeneric(v, a, b *Element) {
	for j := range Width {
		x, y := a.get(j), b.get(j)
		for i := range x {
			x[i] += y[i]
		}
		x.carry()
		v.put(j, &x)
	}
}

func subGeneric(v, a, b *Element) {
	for j := range Width {
		x, y := a.get(j), b.get(j)
		for i := range x {
			x[i] += multipleOfP(i) - y[i]
		}
		x.carry()
		v.put(j, &x)
	}
}

// multipleOfP returns limb i of 4p, which is larger than limb i of every reduced element. (2p would
// not suffice: its limb 4 is 2^49 − 2.)
func multipleOfP(i int) uint64 {
	switch i {
	case 0:
		return 4 * (1<<52 - c)
	case 4:
		return 4 * mask48
	}
	return 4 * mask52
}

func mulSmallGeneric(v, a *Element, k uint64) {
	//ct:secret a[0][0]&1 == 1
	for j := range Width {
		x := a.get(j)
		for i := range x {
			x[i] *= k
		}
		x.carry()
		v.put(j, &x)
	}
}

func normalizeGeneric(v, a *Element) {
	for j := range Width {
		x := a.get(j)
		x.normalize()
		v.put(j, &x)
	}
}

func isZeroGeneric(a *Element) Mask {
	m := None()
	for j := range Width {
		x := a.get(j)
		x.normalize()
		t := x[0] | x[1] | x[2] | x[3] | x[4]
		m.Put(j, (t-1)>>63) // (t−1)>>63 is 1 only for t = 0, as t is below 2^52
	}
	return m
}

func selectLanesGeneric(v *Element, m Mask, a, b *Element) {
	for j := range Width {
		x, y, s := a.get(j), b.get(j), m.spread(j)
		for i := range x {
			y[i] ^= s & (x[i] ^ y[i])
		}
		v.put(j, &y)
	}
}

func condNegGeneric(v *Element, m Mask, a *Element) {
	var n Element
	subGeneric(&n, &Element{}, a)
	selectLanesGeneric(v, m, &n, a)
}
