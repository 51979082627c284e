package msm

import (
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
)

// batchTerms is the number of terms that share one inversion of their denominators (Montgomery's
// trick). It is so large that the inversion is a small part of the work.
const batchTerms = 128

// A normalizer converts points to affine coordinates. Later calls reuse its memory.
type normalizer struct {
	fractions [batchTerms]point.Jacobian
	points    [batchTerms]point.Affine
}

// affine returns the affine coordinates of at most batchTerms points, or (0, 0) for the identity.
// The returned slice is valid until the next call.
func (n *normalizer) affine(points []group.Point) []point.Affine {
	fractions, results := n.fractions[:len(points)], n.points[:len(points)]
	affine := true
	for i := range points {
		p := (*keys.GroupPoint)(&points[i])
		fractions[i], results[i] = *p.Value(), point.Affine{}
		if !fractions[i].IsInfinity().Bool() {
			results[i] = point.Affine{X: fractions[i].X, Y: fractions[i].Y}
			affine = affine && p.IsAffine()
		}
	}
	if !affine {
		point.BatchToAffineVartime(results, fractions)
	}
	return results
}
