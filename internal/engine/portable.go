package engine

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/blocks"
)

// primitives are what a level implements. All slices of a call have the same length,
// which may be any. Every function is exact on every input, and takes a time that
// depends on it.
type primitives interface {
	// LiftX sets p[i].Y to the coordinate of the parity odd[i] that belongs to
	// p[i].X, which is canonical. ok[i] says whether there is one.
	LiftX(p []point.Affine, odd, ok []bool)
	// ScalarBaseMult sets r[i] = a[i]·G.
	ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar)
	// DoubleScalarMult sets r[i] = a[i]·G + b[i]·p[i].
	DoubleScalarMult(r []point.Jacobian, a, b []scalar.Scalar, p []point.Affine)
	// DoubleScalarMultSplit does so for the points of the tables c.
	DoubleScalarMultSplit(r []point.Jacobian, a, b []scalar.Scalar, c []*vartime.SplitTable)
	// Divide replaces a[i] by a[i]/s[i] and b[i] by b[i]/s[i], and both by 0 where
	// s[i] is 0. s and room, which is as long, are overwritten.
	Divide(a, b, s, room []scalar.Scalar)
	// ToAffine sets p[i] = r[i], with canonical coordinates. finite[i] says
	// whether r[i] is.
	ToAffine(p []point.Affine, finite []bool, r []point.Jacobian)
}

// portable takes one row after another, as the functions for single signatures do, but
// with shared inversions.
type portable struct{}

func (portable) LiftX(p []point.Affine, odd, ok []bool) {
	for i := range p {
		parity := ct.Choice(0)
		if odd[i] {
			parity = 1
		}
		ok[i] = p[i].LiftXVartime(&p[i].X, parity).Bool()
		p[i].Y.Normalize()
	}
}

func (portable) ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar) {
	blocks.ScalarBaseMult(r, a)
}

func (portable) DoubleScalarMult(r []point.Jacobian, a, b []scalar.Scalar, p []point.Affine) {
	for i := range r {
		vartime.DoubleScalarMult(&r[i], &a[i], &b[i], &p[i])
	}
}

func (portable) DoubleScalarMultSplit(
	r []point.Jacobian, a, b []scalar.Scalar, c []*vartime.SplitTable,
) {
	for i := range r {
		c[i].DoubleScalarMult(&r[i], &a[i], &b[i])
	}
}

func (portable) Divide(a, b, s, room []scalar.Scalar) { blocks.Divide(a, b, s, room) }

func (portable) ToAffine(p []point.Affine, finite []bool, r []point.Jacobian) {
	point.BatchToAffineVartime(p, r)
	for i := range r {
		finite[i] = !r[i].IsInfinity().Bool()
	}
}
