package peer

import (
	"context"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/msm"
)

// sums returns a function that makes the driver for koblitz's sum of n terms (multi-scalar
// multiplication) on one thread. The measured time includes adding the terms to the accumulator.
func sums(in *Inputs) func(n int) Driver {
	points, scalars := make([]group.Point, len(in.Points)), make([]group.Scalar, len(in.Points))
	for i := range points {
		p, s := affineOf(in.Points[i]), scalarOf(in.Scalars[i])
		var j point.Jacobian
		must(points[i].SetBytes(compress(j.SetAffine(&p))))
		must(scalars[i].SetBytes(encodeScalar(&s)))
	}
	sum := msm.NewAccumulator(&msm.Options{Workers: 1})
	return func(n int) Driver {
		do := func() group.Point {
			sum.Reset()
			if err := sum.AddVartime(context.Background(), scalars[:n], points[:n]); err != nil {
				panic(err)
			}
			return must(sum.SumVartime(context.Background()))
		}
		return Driver{Do: func(int) { do() }, Out: func(int) []byte { r := do(); return r.Bytes() }}
	}
}
