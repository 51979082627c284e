package engine

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/profile/profiletest"
)

// The benchmarks of this file measure the numbers that profiles hold for equations, blocks, lanes,
// workers and queues; `make profile` runs them.

// expect panics if a call failed. The benchmarks call it on other goroutines, where b.Fatal must
// not be called.
func expect(ok bool, err error) {
	if !ok || err != nil {
		panic(fmt.Sprint("a call failed: ", err))
	}
}

// anew returns two functions that verify copies of the first n rows of parsed, by one equation or
// one row after the other, and a function that restores the copies: it removes the verdicts, and
// the y coordinates and challenges that a verification has stored.
func anew(
	s *scheme, parsed []*row, n int,
) (again func(), together, each func(workers int) func(), rows []*row) {
	ctx, e := context.Background(), new(equation)
	rows = copies(parsed, n)
	again = func() {
		for i, r := range rows {
			*r = *parsed[i]
		}
	}
	together = func(workers int) func() {
		return func() { expect(holdsBy(ctx, e, s, rows, workers)) }
	}
	each = func(workers int) func() {
		c := &columns{scheme: s, Options: Options{Workers: workers}}
		return func() { expect(run(ctx, c, rows)) }
	}
	return again, together, each, rows
}

// BenchmarkProfileEquationCost measures Prices and SerialPerRow of the profile: the time of an
// equation in percent of the time of verifying its rows one by one.
func BenchmarkProfileEquationCost(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	parsed := schnorrRows(r, 8192, someKeys(r, 8192), evenY, xOnly)
	for _, n := range []int{4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024,
		2048, 4096, 8192} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			again, together, each, rows := anew(&bip340, parsed, n)
			serial := equation{rows: rows}
			serial.known.draw()
			serial.set(&bip340)
			t := profiletest.Medians(b.N, again, together(1), each(1), func() {
				serial.merge(func() bool { return false })
				serial.collect()
			})
			p := profile.Current()
			b.ReportMetric(100*t[0]/t[1], "percent")
			b.ReportMetric(float64(p.Price(n)), "profile-percent")
			b.ReportMetric(100*t[2]/t[1], "serial-percent")
			b.ReportMetric(float64(p.SerialPerRow), "profile-serial-percent")
		})
	}
}

// BenchmarkProfileSizes measures BlockRows, LiftRows and CallRows of the profile. For each it
// reports the time per row with other sizes, in percent of the time with the profile's size.
func BenchmarkProfileSizes(b *testing.B) {
	const n = 8192
	columns := newCall(rand.New(rand.NewSource(2)), Schnorr, 0, n)
	for _, size := range []struct {
		name   string
		exact  bool
		values []int
	}{
		{"BlockRows", true, []int{16, 32, 64, 128, 256}},
		{"LiftRows", false, []int{16, 32, 64, 128, 256}},
		{"CallRows", false, []int{1024, 2048, 4096, 8192}},
	} {
		profiletest.Named(size.name).Sweep(b, size.values, func() {
			valid, err := Do(context.Background(), columns, Options{Workers: 1, Exact: size.exact})
			expect(valid == n, err)
		})
	}
}

// BenchmarkProfileChallenges measures Challenges of the profile: the time of sixteen hashes
// computed together, even if fewer are needed, in percent of the time of the needed hashes computed
// one by one.
func BenchmarkProfileChallenges(b *testing.B) {
	const rounds = 100
	r := rand.New(rand.NewSource(3))
	least := profiletest.Named("Challenges")
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 12, 16} {
		rows := schnorrRows(r, n, someKeys(r, n), oddY, evenY)
		run := func() {
			for range rounds {
				for _, r := range rows {
					r.unhashed = true
				}
				hashRows(rows)
			}
		}
		least.Threshold(b, n, nil, least.With(hash.Sixteen+1, run), least.With(1, run))
	}
}

// BenchmarkProfileRows measures Rows and Lifts of the profile: the time of a call that computes
// rows in vector lanes, even if some lanes are empty, in percent of the time of one row after
// another. It is skipped without lanes.
func BenchmarkProfileRows(b *testing.B) {
	cputest.Need(b, cputest.LanesAVX2)
	const rounds = 50 // the first round allocates lanes, which the portable rounds drop
	r := rand.New(rand.NewSource(4))
	for _, way := range []struct {
		profiletest.Number
		kind Kind
	}{
		{profiletest.Named("Rows"), Schnorr},
		{profiletest.Named("Lifts"), device.Decompress},
	} {
		for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12} {
			call := newCall(r, Schnorr, 0, n)
			if way.kind == device.Decompress {
				call = decompressCall(newCall(r, ECDSA, 0, n))
			}
			run := func() {
				for range rounds {
					valid, err := Do(context.Background(), call, Options{Workers: 1, Exact: true})
					expect(valid == n, err)
				}
			}
			way.Threshold(b, n, nil, way.With(0, run), way.With(1, run))
		}
	}
}

// BenchmarkProfileSecondWorker measures RowsPerWorker and EquationPerWorker of the profile: the
// wall-clock time of two workers, in percent of the time of one. The profile's number is half the
// number of rows from which on the second worker saves time. The benchmark needs two idle CPUs.
func BenchmarkProfileSecondWorker(b *testing.B) {
	const most = 1024
	r := rand.New(rand.NewSource(5))
	parsed := schnorrRows(r, most, someKeys(r, most), oddY, evenY)
	rowsPerWorker := profiletest.Named("RowsPerWorker")
	equationPerWorker := profiletest.Named("EquationPerWorker")
	for _, n := range []int{8, 16, 32, 64, 128, 256, 512, most} {
		again, together, each, _ := anew(&bip340, parsed, n)
		rowsPerWorker.Threshold(b, n, again, rowsPerWorker.With(1, each(1)),
			rowsPerWorker.With(1, each(2)))
		if n >= 64 {
			equationPerWorker.Threshold(b, n, again, equationPerWorker.With(1, together(1)),
				equationPerWorker.With(1, together(2)))
		}
	}
}

// BenchmarkProfileQueueRows measures QueueSchnorr, QueueECDSA and QueueEquations of the profile.
// For batches of several sizes it reports the time per row, in percent of the time per row in a
// batch of the profile's size. It also reports the time of the whole batch, and the time with
// equations in percent of the time without equations.
func BenchmarkProfileQueueRows(b *testing.B) {
	const most = 1024
	r := rand.New(rand.NewSource(6))
	keys := someKeys(r, most)
	all := map[*scheme][]*row{
		&bip340: schnorrRows(r, most, keys, oddY, evenY),
		&ecdsa:  ecdsaRows(r, most, keys),
	}
	for _, queue := range []struct {
		name   string
		scheme *scheme
	}{{"Schnorr", &bip340}, {"ECDSA", &ecdsa}} {
		// verify returns a function that verifies the first n rows as a queue does, and a function
		// that restores them.
		verify := func(n int, equations bool) (run, again func()) {
			again, together, each, _ := anew(queue.scheme, all[queue.scheme], n)
			if equations && queue.scheme == &bip340 && EquationPays(n, 1) {
				return together(1), again
			}
			return each(1), again
		}
		equations := profile.Current().QueueEquations
		now, ecdsaRows := QueueRows()
		if queue.scheme == &ecdsa {
			now = ecdsaRows
		}
		for _, n := range []int{4, 8, 16, 32, 64, 128, 256, 512, most} {
			b.Run(fmt.Sprint("Queue", queue.name, "/", n), func(b *testing.B) {
				var run [4]func()
				var again [4]func()
				run[0], again[0] = verify(now, equations)
				run[1], again[1] = verify(n, equations)
				run[2], again[2] = verify(n, true)
				run[3], again[3] = verify(n, false)
				t := profiletest.Medians(b.N, func() {
					for _, f := range again {
						f()
					}
				}, run[:]...)
				b.ReportMetric(100*t[1]/float64(n)/(t[0]/float64(now)), "percent-of-profile's")
				b.ReportMetric(float64(now), "profile")
				b.ReportMetric(t[1]/1000, "µs-waiting")
				if queue.scheme == &bip340 {
					b.ReportMetric(100*t[2]/t[3], "equations-percent")
					b.ReportMetric(map[bool]float64{true: 1}[equations], "profile-equations")
				}
			})
		}
	}
}
