package point

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
)

// A Jacobian is a point of the curve: (X/Z², Y/Z³), or the point at infinity
// if Z ≡ 0. The zero value is the point at infinity.
type Jacobian struct {
	X, Y, Z field.Element
}

// SetInfinity sets p to the point at infinity, and returns p.
func (p *Jacobian) SetInfinity() *Jacobian {
	// With Z = 0, X = Y = 1 satisfies Y² = X³ + b·Z⁶, so a formula that does not check Z still
	// gives a point of the curve.
	p.X.One()
	p.Y.One()
	p.Z.Zero()
	return p
}

// Set sets p = q, and returns p.
func (p *Jacobian) Set(q *Jacobian) *Jacobian {
	//ct:secret q.Z.IsZero().Bool()
	*p = *q
	return p
}

// SetAffine sets p = a, and returns p.
func (p *Jacobian) SetAffine(a *Affine) *Jacobian {
	p.X = a.X
	p.Y = a.Y
	p.Z.One()
	return p
}

// IsInfinity returns 1 if p is the point at infinity, and 0 if not.
func (p *Jacobian) IsInfinity() ct.Choice { return p.Z.IsZero() }

// Neg sets p = −q, and returns p.
func (p *Jacobian) Neg(q *Jacobian) *Jacobian {
	p.X = q.X
	p.Y.Neg(&q.Y)
	p.Z = q.Z
	return p
}

// CondNeg sets p = −q if choice is 1 and p = q if it is 0, and returns p.
func (p *Jacobian) CondNeg(q *Jacobian, choice ct.Choice) *Jacobian {
	p.X = q.X
	p.Y.CondNeg(&q.Y, choice)
	p.Z = q.Z
	return p
}

// Select sets p = q if choice is 1 and p = r if it is 0, and returns p.
func (p *Jacobian) Select(choice ct.Choice, q, r *Jacobian) *Jacobian {
	p.X.Select(choice, &q.X, &r.X)
	p.Y.Select(choice, &q.Y, &r.Y)
	p.Z.Select(choice, &q.Z, &r.Z)
	return p
}

// MulBeta sets p = λ·q, and returns p.
func (p *Jacobian) MulBeta(q *Jacobian) *Jacobian {
	p.X.MulBeta(&q.X)
	p.Y = q.Y
	p.Z = q.Z
	return p
}

// Equal returns 1 if p and q are the same point, and 0 if not.
func (p *Jacobian) Equal(q *Jacobian) ct.Choice {
	var zz1, zz2, a, b field.Element
	zz1.Square(&p.Z)
	zz2.Square(&q.Z)
	a.Mul(&p.X, &zz2)
	b.Mul(&q.X, &zz1)
	same := a.Equal(&b)
	a.Mul(&p.Y, &zz2)
	a.Mul(&a, &q.Z)
	b.Mul(&q.Y, &zz1)
	b.Mul(&b, &p.Z)
	same &= a.Equal(&b)
	// If one Z is zero, both sides of the comparison are zero, and the comparison is meaningless.
	i, j := p.IsInfinity(), q.IsInfinity()
	return same&i.Not()&j.Not() | i&j
}

// EqualX returns 1 if p is finite and its x coordinate is congruent to x, and 0 if not. It compares
// X with x·Z², so that no inversion is needed.
func (p *Jacobian) EqualX(x *field.Element) ct.Choice {
	var t field.Element
	t.Square(&p.Z)
	t.Mul(&t, x)
	return t.Equal(&p.X) & p.IsInfinity().Not()
}

// Wipe overwrites p with zeros, which is the point at infinity.
func (p *Jacobian) Wipe() {
	p.X.Wipe()
	p.Y.Wipe()
	p.Z.Wipe()
}
