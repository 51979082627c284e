package field

// Mul sets v = a·b, and returns v.
func (v *Element) Mul(a, b *Element) *Element {
	mul(v, a, b)
	return v
}

// Square sets v = a², and returns v.
func (v *Element) Square(a *Element) *Element {
	squareN(v, a, 1)
	return v
}

// SquareN sets v = a^(2^n), and returns v. n must be at least 1.
func (v *Element) SquareN(a *Element, n int) *Element {
	//ct:secret a.l2&1 == 1
	squareN(v, a, n)
	return v
}

// squareNVartimeGeneric calls squareNGeneric, because portable code in variable time would not be
// faster. ok is always true.
func squareNVartimeGeneric(v, a *Element, n int) (ok bool) {
	squareNGeneric(v, a, n)
	return true
}

// The limbs of β, least significant first. β is the cube root of one modulo p for which λ·(x, y) =
// (β·x, y); see docs/endomorphism.md.
const (
	Beta0 = 0xc1396c28719501ee
	Beta1 = 0x9cf0497512f58995
	Beta2 = 0x6e64479eac3434e9
	Beta3 = 0x7ae96a2b657c0710
)

// MulBeta sets v = β·a, and returns v.
func (v *Element) MulBeta(a *Element) *Element {
	//ct:secret a.l1 == 0
	var beta Element
	beta.SetLimbs(Beta0, Beta1, Beta2, Beta3)
	mul(v, a, &beta)
	return v
}
