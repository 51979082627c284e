package msm

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// Bases is a list of points with precomputed multiples, for several sums of the same points with
// different scalars. The zero value holds no points. Several goroutines may use it at the same
// time; their sums are computed one after the other.
type Bases struct{ b *sums.Bases }

// Prepare returns points with tables that take at most maxBytes. A table takes a multiple of 128
// bytes (144 on 32-bit CPUs and wasm) for each point. If the smallest tables take more than
// maxBytes, Prepare returns an error. Larger tables make sums faster, up to some two kilobytes a
// point. Sums use, and keep, another 50 bytes a point, and memory for each worker: two megabytes
// with a thousand points, and at most eleven with any number. The points must be public: the time
// depends on them.
func Prepare(points []group.Point, maxBytes int) (*Bases, error) {
	affine := make([]point.Affine, len(points))
	var n normalizer
	for i := 0; i < len(points); i += batchTerms {
		copy(affine[i:], n.affine(points[i:min(i+batchTerms, len(points))]))
	}
	b := sums.NewBases(affine, maxBytes)
	if b == nil {
		return nil, fmt.Errorf("msm: tables of %d points do not fit in %d bytes, or are too large",
			len(points), maxBytes)
	}
	return &Bases{b}, nil
}

// Len returns the number of points.
func (b *Bases) Len() int {
	if b == nil || b.b == nil {
		return 0
	}
	return b.b.Len()
}

// Size returns the size of the tables in bytes.
func (b *Bases) Size() int {
	if b.Len() == 0 {
		return 0
	}
	return b.b.Size()
}

// SumVartime returns the sum of scalars[i] times point i. It returns an error if the numbers of
// scalars and points differ, or if the options have a device, because only the CPU sums prepared
// points. If ctx is done before the sum is computed, SumVartime returns the error of ctx.
func (b *Bases) SumVartime(
	ctx context.Context, scalars []group.Scalar, o *Options,
) (group.Point, error) {
	options := o.get()
	if options.Device != nil {
		return group.Point{}, errors.New("msm: Device: prepared points are summed by the CPU alone")
	}
	if len(scalars) != b.Len() {
		return group.Point{}, fmt.Errorf("msm: %d scalars for %d points", len(scalars), b.Len())
	}
	ctx = forkjoin.Context(ctx)
	if b.Len() == 0 {
		return group.Point{}, ctx.Err()
	}
	k := func(i int) *scalar.Scalar { return (*keys.GroupScalar)(&scalars[i]).Value() }
	var p group.Point
	g := (*keys.GroupPoint)(&p)
	g.Changed()
	c := forkjoin.New(sums.WorkersFor(len(scalars), forkjoin.Limit(options.Workers)))
	defer c.Stop()
	if err := b.b.Sum(ctx, g.Value(), k, c); err != nil {
		return group.Point{}, err
	}
	return p, nil
}
