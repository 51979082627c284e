package lanes

import "github.com/koblitz-go/koblitz/internal/field"

// An Element is eight elements of the field with p elements, one per lane. e[i]
// holds limb i of every lane, and the value of a lane is the sum of its limbs
// times 2^(52·i). The zero value is zero in every lane.
//
// Every function takes and returns reduced elements unless it says otherwise:
// limbs 0 to 3 are below 2^52 and limb 4 is below 2^49. For other elements the
// result is undefined, but no other memory is accessed. Methods that compute set
// their receiver to the result, in all lanes. The receiver may be any of the
// arguments.
type Element [5]Vector

// SetLane sets lane j of v to a, and leaves all other lanes unchanged.
func (v *Element) SetLane(j int, a *field.Element) {
	l := a.Limbs()
	e := split52(l[0], l[1], l[2], l[3])
	v.put(j, &e)
}

// Lane sets dst to lane j of a.
func (a *Element) Lane(j int, dst *field.Element) {
	e := a.get(j)
	e.normalize()
	dst.SetLimbs(e.join64())
}

// Broadcast sets every lane of v to a.
func (v *Element) Broadcast(a *field.Element) {
	l := a.Limbs()
	v.broadcast(split52(l[0], l[1], l[2], l[3]))
}

func (v *Element) broadcast(e limbs) {
	for i := range v {
		for j := range v[i] {
			v[i][j] = e[i]
		}
	}
}

// One sets every lane of v to 1.
func (v *Element) One() {
	v.broadcast(limbs{1})
}

// Mul sets v = a·b.
func (v *Element) Mul(a, b *Element) { mul(v, a, b) }

// Square sets v = a².
func (v *Element) Square(a *Element) { squareN(v, a, 1) }

// Add sets v = a + b.
func (v *Element) Add(a, b *Element) { add(v, a, b) }

// Sub sets v = a − b.
func (v *Element) Sub(a, b *Element) { sub(v, a, b) }

// Neg sets v = −a.
func (v *Element) Neg(a *Element) { condNeg(v, All(), a) }

// MulSmall sets v = k·a. k must be at most 16.
func (v *Element) MulSmall(a *Element, k uint64) { mulSmall(v, a, k) }

// Beta returns β and β² = 1/β in every lane. The x coordinate of λ·P is β·x; see
// [field.Element.MulBeta].
//
//ct:public makes constants
func Beta() (beta, square Element) {
	var b field.Element
	b.MulBeta(b.One())
	beta.Broadcast(&b)
	square.Broadcast(b.Square(&b))
	return beta, square
}

// IsZero returns the mask of the lanes in which a ≡ 0.
func (a *Element) IsZero() Mask { return isZero(a) }

// IsOdd returns the mask of the lanes in which the canonical value of a is odd.
func (a *Element) IsOdd() Mask {
	var t Element
	normalize(&t, a)
	return t[0].odd()
}

// Equal returns the mask of the lanes in which a ≡ b.
func (a *Element) Equal(b *Element) Mask {
	var d Element
	sub(&d, a, b)
	return isZero(&d)
}

// Select sets v to a in the lanes of m, and to b in all other lanes.
func (v *Element) Select(m Mask, a, b *Element) { selectLanes(v, m, a, b) }

// CondNeg sets v to −a in the lanes of m, and to a in all other lanes.
func (v *Element) CondNeg(m Mask, a *Element) { condNeg(v, m, a) }

// Rotate sets lane j of v to lane (j + n) mod Width of a, for n ≥ 0. v must not be a.
func (v *Element) Rotate(a *Element, n int) {
	for i := range v {
		for j := range Width {
			v[i].Set(j, a[i].At((j+n)&(Width-1)))
		}
	}
}
