package point

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// An Affine is a finite point of the curve. The zero value is not a point.
type Affine struct {
	X, Y field.Element
}

// SetGenerator sets a to the generator G of SEC 2, section 2.4.1, and returns a.
func (a *Affine) SetGenerator() *Affine {
	a.X.SetLimbs(0x59f2815b16f81798, 0x029bfcdb2dce28d9, 0x55a06295ce870b07, 0x79be667ef9dcbbac)
	a.Y.SetLimbs(0x9c47d08ffb10d4b8, 0xfd17b448a6855419, 0x5da4fbfc0e1108a8, 0x483ada7726a3c465)
	return a
}

// Set sets a = b, and returns a.
func (a *Affine) Set(b *Affine) *Affine {
	*a = *b
	return a
}

// Neg sets a = −b, and returns a.
func (a *Affine) Neg(b *Affine) *Affine {
	a.X = b.X
	a.Y.Neg(&b.Y)
	return a
}

// CondNeg sets a = −b if choice is 1 and a = b if it is 0, and returns a.
func (a *Affine) CondNeg(b *Affine, choice ct.Choice) *Affine {
	a.X = b.X
	a.Y.CondNeg(&b.Y, choice)
	return a
}

// Select sets a = b if choice is 1 and a = c if it is 0, and returns a.
func (a *Affine) Select(choice ct.Choice, b, c *Affine) *Affine {
	a.X.Select(choice, &b.X, &c.X)
	a.Y.Select(choice, &b.Y, &c.Y)
	return a
}

// MulBeta sets a = λ·b, and returns a. It multiplies x by β: λ·(x, y) = (β·x, y).
func (a *Affine) MulBeta(b *Affine) *Affine {
	a.X.MulBeta(&b.X)
	a.Y = b.Y
	return a
}

// Equal returns 1 if a and b are the same point, and 0 if not.
func (a *Affine) Equal(b *Affine) ct.Choice {
	return a.X.Equal(&b.X) & a.Y.Equal(&b.Y)
}

// Normalize reduces both coordinates to their canonical values, and returns a.
func (a *Affine) Normalize() *Affine {
	//ct:secret a.Y.IsOdd().Bool()
	a.X.Normalize()
	a.Y.Normalize()
	return a
}

// Declassify marks a as public for the checker of constant time; see [ct.Declassify].
func (a *Affine) Declassify() {
	a.X.Declassify()
	a.Y.Declassify()
}

// Wipe overwrites a with zeros.
func (a *Affine) Wipe() {
	//ct:secret a.X.IsOdd().Bool()
	a.X.Wipe()
	a.Y.Wipe()
}
