package vartime

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// BenchmarkSum computes sums of different terms on one thread, setting them
// included.
func BenchmarkSum(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const most = 1024
	points, _ := walk(b, most, big.NewInt(1), uniform(r))
	scalars := make([]*scalar.Scalar, most)
	for i := range scalars {
		scalars[i] = toScalar(uniform(r))
	}
	for _, n := range []int{1, 2, 3, 4, 8, 9, 12, 16, 24, 32, 48, 64, 96, 128, 200, 256, most} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var s Sum
			var sum point.Jacobian
			first := 0
			b.ReportAllocs()
			for b.Loop() {
				if first += n; first+n > most {
					first = 0
				}
				s.Reset(n, 0)
				for i := range n {
					s.SetFull(i, scalars[first+i], &points[first+i])
				}
				if err := s.Result(context.Background(), &sum, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n)/1000, "µs/term")
		})
	}
}
