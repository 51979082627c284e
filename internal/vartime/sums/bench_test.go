package sums

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// BenchmarkSum computes sums of different terms on one thread. The time includes setting the terms.
func BenchmarkSum(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const most = 1024
	points, _ := walk(b, most, big.NewInt(1), uniform(r))
	scalars := make([]*scalar.Scalar, most)
	for i := range scalars {
		scalars[i] = vartimetest.Scalar(uniform(r))
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

// BenchmarkProfilePlans measures the Plans of the profile: for every number of terms, the time of
// the method that the profile chooses, and the time of the fastest method. The methods run in
// turns, and the time of each is that of its fastest turn.
func BenchmarkProfilePlans(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const most = 4096
	points, _ := walk(b, most, big.NewInt(1), uniform(r))
	scalars := make([]*scalar.Scalar, most)
	for i := range scalars {
		scalars[i] = vartimetest.Scalar(uniform(r))
	}
	for _, n := range []int{
		2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 120, 160, 200, 250, 320,
		400, 500, 640, 800, 1024, 1600, 2600, 4096,
	} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var s Sum
			var sum point.Jacobian
			chosen := choose(n, 0).method
			methods := []int{chosen}
			if n <= profile.Current().Sums.WholeTerms && lanes.Available() {
				methods = append(methods, profile.InLanes)
			}
			if n <= 128 {
				methods = append(methods, profile.Interleaved, profile.InPairs)
			}
			for windows := 9; windows <= 32; windows++ {
				methods = append(methods, windows)
			}
			times := make(map[int]time.Duration)
			for range b.N {
				for _, method := range methods {
					begin := time.Now()
					s.Reset(n, 0)
					for i := range n {
						s.SetFull(i, scalars[i], &points[i])
					}
					switch method {
					case profile.Interleaved:
						s.interleave(&sum)
					case profile.InLanes:
						s.strausLanes(&sum)
					case profile.InPairs:
						s.strausPairs(&sum, &profile.Current().Sums)
					default:
						p := plan{method, cut(method)}
						if err := s.pippenger(context.Background(), &sum, &p, nil); err != nil {
							b.Fatal(err)
						}
					}
					took := time.Since(begin)
					if least, ok := times[method]; !ok || took < least {
						times[method] = took
					}
				}
			}
			best := chosen
			for method, t := range times {
				if t < times[best] {
					best = method
				}
			}
			b.ReportMetric(float64(chosen), "chosen")
			b.ReportMetric(float64(times[chosen].Nanoseconds())/float64(n), "ns/term")
			b.ReportMetric(float64(best), "best")
			b.ReportMetric(float64(times[best].Nanoseconds())/float64(n), "best-ns/term")
		})
	}
}

// BenchmarkBases computes sums of points whose tables have at most 1,024 bytes each.
func BenchmarkBases(b *testing.B) {
	r := rand.New(rand.NewSource(2))
	const most, sets = 16384, 8
	points, _ := walk(b, most, big.NewInt(1), uniform(r))
	scalars := make([]scalar.Scalar, most+sets)
	for i := range scalars {
		scalars[i] = *vartimetest.Scalar(uniform(r))
	}
	for _, n := range []int{64, 1024, most} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprint(n, "/workers=", workers), func(b *testing.B) {
				bases := NewBases(points[:n], 1024*n)
				team := crew.New(workers)
				defer team.Stop()
				var sum point.Jacobian
				at := 0
				b.ReportAllocs()
				for b.Loop() {
					at = (at + 1) % sets
					if err := bases.Sum(context.Background(), &sum, scalars[at:at+n], team); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkSumWorkers computes sums of different terms on two threads.
func BenchmarkSumWorkers(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	const most = 16384
	points, _ := walk(b, most, big.NewInt(1), uniform(r))
	scalars := make([]*scalar.Scalar, most)
	for i := range scalars {
		scalars[i] = vartimetest.Scalar(uniform(r))
	}
	for _, n := range []int{1024, most} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var s Sum
			var sum point.Jacobian
			b.ReportAllocs()
			for b.Loop() {
				team := crew.New(2)
				s.Reset(n, 0)
				for i := range n {
					s.SetFull(i, scalars[i], &points[i])
				}
				if err := s.Result(context.Background(), &sum, team); err != nil {
					b.Fatal(err)
				}
				team.Stop()
			}
		})
	}
}
