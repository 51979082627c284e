package keys

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A GroupScalar is what package group declares its Scalar from: any number
// modulo n. The zero value is 0.
type GroupScalar struct {
	_ [0]func() // not comparable with ==
	v scalar.Scalar
}

// Value returns the number, which the caller may change.
func (s *GroupScalar) Value() *scalar.Scalar {
	//ct:leak s.v.IsOdd().Bool()
	return &s.v
}

// A GroupPoint is what package group declares its Point from: any point of the
// curve. The zero value is the point at infinity.
type GroupPoint struct {
	_ [0]func() // not comparable with ==
	v point.Jacobian
	// affine says that Z is 1 or the point is infinity. It depends on how the
	// point was made, not on what point it is.
	affine bool
}

// Value returns the point. Whoever changes it says what it is now, by Changed or
// Normalized.
func (p *GroupPoint) Value() *point.Jacobian { return &p.v }

// IsAffine reports whether Z is known to be 1, unless the point is infinity.
func (p *GroupPoint) IsAffine() bool { return p.affine }

// Changed says that Z may be anything.
func (p *GroupPoint) Changed() { p.affine = false }

// Normalized says that Z is 1, or that the point is infinity.
func (p *GroupPoint) Normalized() { p.affine = true }
