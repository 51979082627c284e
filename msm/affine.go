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
	points    [batchTerms]point.Affine
	fractions []point.Jacobian
	indices   []int
	results   []point.Affine
}

// affine returns the affine coordinates of at most batchTerms points, or (0, 0) for the identity.
// The returned slice is valid until the next call.
func (n *normalizer) affine(points []group.Point) []point.Affine {
	n.fractions, n.indices = n.fractions[:0], n.indices[:0]
	for i := range points {
		p := (*keys.GroupPoint)(&points[i])
		v := p.Value()
		switch {
		case !p.IsAffine():
			n.fractions, n.indices = append(n.fractions, *v), append(n.indices, i)
		case v.IsInfinity().Bool():
			n.points[i] = point.Affine{}
		default:
			n.points[i] = point.Affine{X: v.X, Y: v.Y}
		}
	}
	if len(n.fractions) > 0 {
		if len(n.results) < len(n.fractions) {
			n.results = make([]point.Affine, batchTerms)
		}
		results := n.results[:len(n.fractions)]
		point.BatchToAffineVartime(results, n.fractions)
		for k, i := range n.indices {
			n.points[i] = results[k]
		}
	}
	return n.points[:len(points)]
}
