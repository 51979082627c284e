package sums

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/profile/profiletest"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// `make profile` runs the benchmarks of this file and of horner_bench_test.go. They measure the
// parameters of profiles that concern sums.

// A benchSum computes sums of random terms, the same terms in every run.
type benchSum struct {
	Sum
	points  []point.Affine
	scalars []*scalar.Scalar
}

func newBenchSum(b *testing.B, most int) *benchSum {
	r := rand.New(rand.NewSource(4))
	s := new(benchSum)
	s.points, _ = walk(b, most, big.NewInt(1), uniform(r))
	for range most {
		s.scalars = append(s.scalars, vartimetest.Scalar(uniform(r)))
	}
	return s
}

// set makes s a sum of n full terms.
func (s *benchSum) set(n int) {
	s.Reset(n, 0)
	for i := range n {
		s.SetFull(i, s.scalars[i], &s.points[i])
	}
}

// setShort makes s a sum of n short terms.
func (s *benchSum) setShort(n int) {
	s.Reset(0, n)
	for i := range n {
		l := s.scalars[i].Limbs()
		s.SetShort(i, &scalar.Half{Lo: l[0]}, &scalar.Half{Lo: l[1], Neg: 1}, &s.points[i])
	}
}

// compute returns the sum, computed by the given method. It panics if the method fails, because
// some benchmarks call it on goroutines other than their own.
func (s *benchSum) compute(method int, c *forkjoin.Team) (r point.Jacobian) {
	switch method {
	case profile.Interleaved:
		s.interleave(&r)
	case profile.InLanes:
		if !s.strausLanes(&r) {
			panic("the terms of a benchmark meet an exception")
		}
	case profile.InPairs:
		s.strausPairs(&r)
	default:
		if err := s.byWindows(&r, method, c); err != nil {
			panic(err)
		}
	}
	return r
}

// BenchmarkProfilePlans measures the Plans of the profile: it compares the method that they choose
// for a number of terms with all others. All methods compute the same sums of many different
// points, in turns. The benchmark reports the fastest method, and how many times faster the chosen
// method is than Straus' algorithm in one chain and than additions in pairs.
func BenchmarkProfilePlans(b *testing.B) {
	const most, sets = 4096, 16
	s := newBenchSum(b, most*sets)
	points, scalars := s.points, s.scalars
	for _, n := range []int{
		2, 3, 4, 6, 8, 12, 16, 18, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80, 89, 96, 120, 160, 200,
		250, 320, 400, 500, 640, 800, 1024, 1600, 2600, most,
	} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			set := 0
			methods := []int{choose(n, 0)}
			if n <= profile.Current().Sums.WholeTerms && lanes.Available() {
				methods = append(methods, profile.InLanes)
			}
			if n <= 128 {
				methods = append(methods, profile.Interleaved, profile.InPairs)
			}
			for windows := 9; windows <= 32; windows++ {
				methods = append(methods, windows)
			}
			sums := make([]point.Jacobian, len(methods))
			ways := []func(){func() { // loads the points into the caches
				set = (set + 1) % sets
				s.points, s.scalars = points[set*most:], scalars[set*most:]
				s.set(n)
				s.compute(profile.Interleaved, nil)
			}}
			for k, method := range methods {
				ways = append(ways, func() {
					s.set(n)
					sums[k] = s.compute(method, nil)
				})
			}
			t := profiletest.Medians(sets*b.N, nil, append(ways, func() {
				for k := range sums {
					if sums[k].Equal(&sums[0]) != 1 {
						b.Errorf("the method %d computes another sum", methods[k])
					}
				}
			})...)[1:]
			best := slices.Index(t, slices.Min(t[:len(methods)]))
			b.ReportMetric(float64(methods[0]), "chosen")
			b.ReportMetric(float64(methods[best]), "best")
			b.ReportMetric(t[0]/float64(n), "ns/term")
			b.ReportMetric(t[best]/float64(n), "best-ns/term")
			for _, method := range []int{profile.Interleaved, profile.InPairs} {
				if k := slices.Index(methods, method); k >= 0 {
					b.ReportMetric(t[k]/t[0], fmt.Sprint("times-method", method))
				}
			}
		})
	}
}

// BenchmarkProfileSums measures BatchPairs, UnitHalves, SetBuckets, StealGain and RecodeTerms of
// the profile: the time of a sum with another value of the parameter, in percent of
// its time with the profile's value.
func BenchmarkProfileSums(b *testing.B) {
	s := newBenchSum(b, 8192)
	for _, number := range []struct {
		name    string
		workers int // number of workers that the parameter concerns
		values  []int
	}{
		{"BatchPairs", 1, []int{384, 768, 1536, 3072, 6144}},
		{"UnitHalves", 1, []int{128, 256, 512, 1024, 2048}},
		{"SetBuckets", 1, []int{2048, 4096, 8192, 16384, 32768}},
		{"StealGain", 2, []int{128, 256, 512, 1024, 2048}},
		{"RecodeTerms", 2, []int{256, 512, 1024, 2048, 4096}},
	} {
		for _, n := range []int{1024, 8192} {
			team := forkjoin.New(number.workers)
			method := max(1, choose(n, 0))
			parameter := profiletest.Named(number.name)
			parameter.Name = fmt.Sprintf("%s/terms=%d/workers=%d", number.name, n, number.workers)
			parameter.Sweep(b, number.values, func() {
				s.set(n)
				s.compute(method, team)
			})
			team.Stop()
		}
	}
}

// BenchmarkProfileExceptionWindows measures ExceptionWindows of the profile: the time with another
// number of windows for a sum that InLanes has given up, in percent of the time with the profile's
// number.
func BenchmarkProfileExceptionWindows(b *testing.B) {
	most := profile.Current().Sums.WholeTerms
	s := newBenchSum(b, most)
	for _, n := range []int{2, 8, most} {
		number := profiletest.Named("ExceptionWindows")
		number.Name = fmt.Sprint("ExceptionWindows/terms=", n)
		number.Sweep(b, []int{22, 26, 30, 34, 38, 43}, func() {
			s.set(n)
			s.compute(*number.Of(profile.Current()), nil)
		})
	}
}

// BenchmarkProfileWholeTerms measures WholeTerms of the profile: the time of a sum of short terms
// by the plan that another value leads to, in percent of the time by the plan that the profile's
// value leads to.
func BenchmarkProfileWholeTerms(b *testing.B) {
	s := newBenchSum(b, 128)
	for _, n := range []int{16, 24, 32, 40, 48, 64, 96, 128} {
		number := profiletest.Named("WholeTerms")
		number.Name = fmt.Sprint("WholeTerms/terms=", n)
		number.Sweep(b, []int{8, 16, 24, 32, 40, 48, 64}, func() {
			s.setShort(n)
			s.compute(choose(0, n), nil)
		})
	}
}

// BenchmarkProfilePairs measures Pairs of the profile: the time of additions in lanes, in percent
// of the time without lanes. It is skipped on CPUs without lanes.
func BenchmarkProfilePairs(b *testing.B) {
	cputest.Need(b, cputest.LanesAVX2)
	const rounds = 20
	pairs := profiletest.Named("Pairs")
	for _, n := range []int{4, 6, 8, 10, 12, 14, 16, 24, 32} {
		w := newBenchPairs(b, n)
		way := func(least int) func() {
			return pairs.With(least, func() {
				for range rounds {
					w.add()
				}
			})
		}
		pairs.Threshold(b, n, nil, way(n+1), way(1))
	}
}

// benchPairs holds pairs of different points, and rows for their sums.
type benchPairs struct {
	worker
	n int
}

func newBenchPairs(b *testing.B, n int) *benchPairs {
	points, _ := walk(b, 2*n, big.NewInt(1), big.NewInt(1))
	w := &benchPairs{n: n}
	w.rows = make([]point.Affine, firstBase+3*n)
	l := &w.pairs
	w.rows[padRef>>rowShift].SetGenerator()
	copy(w.rows[firstBase:], points)
	row := func(i int) ref { return ref(firstBase+i) << rowShift }
	for i := range n + padLength {
		at := min(i, n-1)
		l.a, l.b, l.out = append(l.a, row(at)), append(l.b, row(n+at)), append(l.out, row(2*n+at))
	}
	l.bucket = make([]uint32, n)
	return w
}

func (w *benchPairs) add() {
	w.pairs.n = w.n
	w.worker.add()
}

// BenchmarkProfilePositionCost measures PositionCost of the profile: the time for a power of two at
// the end of a sum, as a multiple of the time of an addition in a batch of BatchPairs. It also
// measures the time of sums by Bases whose shape was chosen for another cost, in percent of the
// time with the profile's cost.
func BenchmarkProfilePositionCost(b *testing.B) {
	const most = 1024
	p := profile.Current()
	number := profiletest.Named("PositionCost")
	points := newBenchSum(b, most)
	k := func(i int) *scalar.Scalar { return points.scalars[i] }
	for _, n := range []int{16, 128, most} {
		sum := func(position int) func() {
			var bases *Bases
			number.With(position, func() { bases = NewBases(points.points[:n], 1024*n) })()
			return func() {
				var r point.Jacobian
				if err := bases.Sum(context.Background(), &r, k, nil); err != nil {
					panic(err)
				}
			}
		}
		for _, value := range []int{2, 4, 8, 12, 16, 24} {
			b.Run(fmt.Sprintf("PositionCost/points=%d/%d", n, value), func(b *testing.B) {
				t := profiletest.Medians(b.N, nil, sum(p.Sums.PositionCost), sum(value))
				b.ReportMetric(100*t[1]/t[0], "percent-of-profile's")
				b.ReportMetric(float64(p.Sums.PositionCost), "profile")
			})
		}
	}
	w, sums := newBenchPairs(b, p.Sums.BatchPairs), benchPositions(b, 1)
	var r point.Jacobian
	b.Run("PositionCost", func(b *testing.B) {
		t := profiletest.Medians(b.N, nil, w.add, func() { sums.horner(&r) })
		b.ReportMetric(t[1]/sumPositions/(t[0]/float64(w.n)), "additions")
		b.ReportMetric(float64(p.Sums.PositionCost), "profile")
	})
}

// benchPositions returns a Sum in which each of the given number of workers has random points as
// its sums by position. No point is infinity.
func benchPositions(b *testing.B, workers int) *Sum {
	r := rand.New(rand.NewSource(5))
	points, _ := walk(b, workers*sumPositions, big.NewInt(1), uniform(r))
	s := new(Sum)
	s.startWorkers(firstBase, sumPositions, workers)
	copy(s.rows[firstBase:], points)
	return s
}

// BenchmarkProfileTermsPerWorker measures TermsPerWorker of the profile: the elapsed time of a sum
// by a team of two, in percent of the time of a team of one. Both times include starting the team.
// The second worker makes sums faster from twice TermsPerWorker terms on, if there are two idle
// CPUs.
func BenchmarkProfileTermsPerWorker(b *testing.B) {
	number := profiletest.Named("TermsPerWorker")
	s := newBenchSum(b, 2048)
	for _, n := range []int{64, 128, 256, 512, 1024, 2048} {
		way := func(workers int) func() {
			return func() {
				team := forkjoin.New(workers)
				defer team.Stop()
				s.set(n)
				s.compute(choose(n, 0), team)
			}
		}
		number.Threshold(b, n, nil, way(1), way(2))
	}
}
