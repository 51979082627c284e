package engine

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
)

// This file chooses which code computes a step on many rows. There are two backends: portable
// computes one row after another, and lanewise.Lanes computes eight rows at a time. Both are exact
// for every row, so a verdict depends neither on the backend nor on the other rows of a block.
//
// The profile of the CPU gives the least number of rows for which lanewise.Lanes is faster, or 0 if
// it never is. Nothing else in this package asks for features of the CPU. (Within both backends,
// the packages below choose the kernel of each operation: see ARCHITECTURE.md.)

// chooseBackend returns the backend for the given number of rows: lanes if the number is at least
// minimum, otherwise portable. The parameter lanes is nil if the CPU lacks the vector instructions
// or the caller allocated no memory for them.
func chooseBackend(lanes *lanewise.Lanes, rows, minimum int) backend {
	if lanes == nil || rows < minimum {
		return portable{}
	}
	return lanes
}

// reaches reports whether the number of rows is at least a threshold of a profile. A threshold
// of 0 is never reached.
func reaches(rows, threshold int) bool { return threshold > 0 && rows >= threshold }

// needLanes sets j.lanes to a new lanewise.Lanes if the job is large enough to multiply eight rows
// at a time, and to nil otherwise. A job from a pool may have a lanewise.Lanes that it can no
// longer use, because a test has restricted the CPU features since.
func (j *job) needLanes() {
	if !j.scheme.multiplies() || !reaches(j.cap(), profile.Current().Rows) {
		j.lanes = nil
	} else if j.lanes == nil {
		j.lanes = lanewise.NewLanes(j.cap())
	}
}

// A backend computes steps for many rows. All slices passed to one call have the same length, which
// may be zero. The time depends on all inputs.
type backend interface {
	// ScalarBaseMult sets r[i] = a[i]·G.
	ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar)
	// AddBaseMult sets r[i] = p[i] + a[i]·G.
	AddBaseMult(r []point.Jacobian, a []scalar.Scalar, p []point.Affine)
	// DoubleScalarMult sets r[i] = a[i]·G + b[i]·p[i].
	DoubleScalarMult(r []point.Jacobian, a, b []scalar.Scalar, p []point.Affine)
	// DoubleScalarMultSplit sets r[i] = a[i]·G + b[i]·P[i], where c[i] is the split wNAF table of
	// the point P[i].
	DoubleScalarMultSplit(r []point.Jacobian, a, b []scalar.Scalar, c []*vartime.SplitTable)
	// Divide replaces a[i] by a[i]/s[i] and b[i] by b[i]/s[i], and both by 0 if s[i] is 0. It
	// overwrites s and room; room is scratch memory with the length of s.
	Divide(a, b, s, room []scalar.Scalar)
	// ToAffine sets p[i] = r[i], with canonical coordinates, and finite[i] to whether r[i] is
	// finite.
	ToAffine(p []point.Affine, finite []bool, r []point.Jacobian)
}

// portable computes one row after another, as verification of single signatures does, but the rows
// of a call share one inversion.
type portable struct{}

func (portable) ScalarBaseMult(r []point.Jacobian, a []scalar.Scalar) {
	for i := range r {
		vartime.ScalarBaseMult(&r[i], &a[i])
	}
}

func (portable) AddBaseMult(r []point.Jacobian, a []scalar.Scalar, p []point.Affine) {
	for i := range r {
		vartime.ScalarBaseMult(&r[i], &a[i])
		r[i].AddMixedVartime(&r[i], &p[i])
	}
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

func (portable) Divide(a, b, s, room []scalar.Scalar) { lanewise.Divide(a, b, s, room) }

func (portable) ToAffine(p []point.Affine, finite []bool, r []point.Jacobian) {
	point.BatchToAffineVartime(p, r)
	for i := range r {
		finite[i] = !r[i].IsInfinity().Bool()
	}
}
