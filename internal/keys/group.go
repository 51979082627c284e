package keys

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A GroupScalar is the underlying type of package group's Scalar: any number
// modulo n. The zero value is 0.
type GroupScalar struct {
	_ [0]func() // forbids comparison with ==
	v scalar.Scalar
}

// Value returns a pointer to the number, which the caller may change.
func (s *GroupScalar) Value() *scalar.Scalar {
	//ct:secret s.v.IsOdd().Bool()
	return &s.v
}

// A GroupPoint is the underlying type of package group's Point: any point of the
// curve. The zero value is the point at infinity.
type GroupPoint struct {
	_ [0]func() // forbids comparison with ==
	v point.Jacobian
	// affine is true if it is known that Z is 1 or that the point is infinity. It depends on how
	// the point was computed, not on the point.
	affine bool
}

// Value returns a pointer to the point. After changing the point, the caller must call Changed or
// Normalized.
func (p *GroupPoint) Value() *point.Jacobian { return &p.v }

// IsAffine reports whether it is known that Z is 1 or that the point is infinity.
func (p *GroupPoint) IsAffine() bool { return p.affine }

// Changed records that Z may now have any value.
func (p *GroupPoint) Changed() { p.affine = false }

// Normalized records that Z is now 1 or that the point is infinity.
func (p *GroupPoint) Normalized() { p.affine = true }
