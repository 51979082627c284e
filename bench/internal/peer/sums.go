package peer

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// sums makes drivers of koblitz' multi-scalar multiplication, on one thread. Setting
// the terms is part of the work.
func sums(in *Inputs) func(n int) Driver {
	points, scalars := make([]point.Affine, len(in.Points)), make([]scalar.Scalar, len(in.Points))
	for i := range points {
		points[i], scalars[i] = affineOf(in.Points[i]), scalarOf(in.Scalars[i])
	}
	sum := new(vartime.Sum)
	return func(n int) Driver {
		do := func() *point.Jacobian {
			var r point.Jacobian
			sum.Reset(n, 0)
			for i := range n {
				sum.SetFull(i, &scalars[i], &points[i])
			}
			if err := sum.Result(context.Background(), &r, 1); err != nil {
				panic(err)
			}
			return &r
		}
		return Driver{Do: func(int) { do() }, Out: func(int) []byte { return compress(do()) }}
	}
}
