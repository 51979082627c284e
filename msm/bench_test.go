package msm

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/group"
)

// benchmark measures sums of terms on one thread, in memory that is reused.
func benchmark(b *testing.B, scalars []group.Scalar, points []group.Point) {
	group.BatchNormalize(points)
	a := NewAccumulator(&Options{Workers: 1})
	b.ReportAllocs()
	for b.Loop() {
		a.Reset()
		if err := a.AddVartime(context.Background(), scalars, points); err != nil {
			b.Fatal(err)
		}
		if _, err := a.SumVartime(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	perTerm(b, len(scalars))
}

func perTerm(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/term")
}

// BenchmarkRandom sums n products of random scalars and random points.
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
			benchmark(b, scalars, points)
		})
	}
}

// BenchmarkSum sums terms with small scalars, identities and equal points among them.
func BenchmarkSum(b *testing.B) {
	for _, n := range []int{2, 16, 64, 256, 1024, 4096, 65536} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			scalars, points, _ := terms(rand.New(rand.NewSource(5)), n)
			benchmark(b, scalars, points)
		})
	}
}

func BenchmarkBases(b *testing.B) {
	for _, n := range []int{16, 64, 256, 1024, 4096} {
		for _, each := range []int{least, 512, 2048} {
			b.Run(fmt.Sprintf("%d/%d", n, each), func(b *testing.B) {
				scalars, points, _ := terms(rand.New(rand.NewSource(3)), n)
				bases, err := Prepare(points, each*n)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := bases.SumVartime(context.Background(), scalars,
						&Options{Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
				perTerm(b, n)
				b.ReportMetric(float64(bases.Size())/float64(n), "B/point")
			})
		}
	}
}
