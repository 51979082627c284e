package msm

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/group"
)

// BenchmarkRandom sums n products of random scalars and random points, and reuses memory between
// sums.
func BenchmarkRandom(b *testing.B) {
	for _, n := range []int{2, 64, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewSource(6))
			scalars, points := make([]group.Scalar, n), make([]group.Point, n)
			for i := range n {
				k := randomScalar(r)
				points[i].ScalarBaseMult(&k)
				scalars[i] = randomScalar(r)
			}
			group.BatchNormalize(points)
			a := NewAccumulator(&Options{Workers: 1})
			for b.Loop() {
				a.Reset()
				if err := a.AddVartime(context.Background(), scalars, points); err != nil {
					b.Fatal(err)
				}
				if _, err := a.SumVartime(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
