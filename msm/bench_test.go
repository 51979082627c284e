package msm

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/group"
)

// BenchmarkOneShot computes sums of different terms on one thread, by SumVartime and by an
// Accumulator that reuses its memory.
func BenchmarkOneShot(b *testing.B) {
	const most = 1 << 13
	r := rand.New(rand.NewSource(1))
	scalars, points := make([]group.Scalar, most), make([]group.Point, most)
	for i := range points {
		scalars[i] = randomScalar(r)
		k := randomScalar(r)
		points[i].ScalarBaseMult(&k)
	}
	group.BatchNormalize(points)
	ctx := context.Background()
	for _, n := range []int{2, 64, 1024} {
		at := 0
		next := func() ([]group.Scalar, []group.Point) {
			if at += n; at+n > most {
				at = 0
			}
			return scalars[at : at+n], points[at : at+n]
		}
		b.Run(fmt.Sprint("call/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k, p := next()
				if _, err := SumVartime(ctx, k, p, &Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("kept/", n), func(b *testing.B) {
			a := NewAccumulator(&Options{Workers: 1})
			b.ReportAllocs()
			for b.Loop() {
				k, p := next()
				a.Reset()
				if err := a.AddVartime(ctx, k, p); err != nil {
					b.Fatal(err)
				}
				if _, err := a.SumVartime(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
