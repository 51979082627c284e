package engine

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// The benchmarks of this file measure what profiles say of equations and blocks; `make
// profile` runs them. Each compares ways of doing the same in turns, and reports medians,
// because machines are rarely idle.

// medians runs all of f in turns, count times, and returns the median time of each;
// prepare is called before each and not timed.
func medians(count int, prepare func(), f ...func()) []float64 {
	times := make([][]float64, len(f))
	for range count {
		for k := range f {
			prepare()
			begin := time.Now()
			f[k]()
			times[k] = append(times[k], float64(time.Since(begin)))
		}
	}
	out := make([]float64, len(f))
	for k := range f {
		slices.Sort(times[k])
		out[k] = times[k][len(times[k])/2]
	}
	return out
}

// BenchmarkEquationCost measures the prices of equations, and SerialPerRow, in percent
// of what it takes to verify each of the same rows.
func BenchmarkEquationCost(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	parsed := schnorrRows(r, 8192, someKeys(r, 8192), func(i int) int { return i },
		func(i int) bool { return i%2 == 0 })
	var rows Batch
	verdicts := make([]Verdict, parsed.Len())
	ctx := context.Background()
	for _, n := range []int{4, 8, 12, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096,
		8192} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list := make([]int, n)
			for i := range list {
				list[i] = i
			}
			// What verification keeps of keys and challenges is not for the next.
			anew := func() { rows.rows.gather(parsed, list) }
			anew()
			serial := Equation{rows: rows.rows}
			serial.set(Schnorr)
			t := medians(b.N, anew, func() {
				if ok, err := rows.holds(ctx, Schnorr, rows.rows, 1); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}, func() {
				clear(verdicts[:n])
				if err := rows.each(ctx, Schnorr, 0, n, verdicts[:n], 1); err != nil {
					b.Fatal(err)
				}
			}, func() {
				serial.merge()
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

// BenchmarkSizes measures BlockRows, LiftRows and CallRows: the time of a row where that
// is another number, in percent of the time with the profile's.
func BenchmarkSizes(b *testing.B) {
	const n = 8192
	columns := schnorrColumns(rand.New(rand.NewSource(2)), n)
	columns.Verdicts = make([]Verdict, n)
	for _, size := range []struct {
		name   string
		exact  bool
		of     func(p *profile.Profile) *int
		values []int
	}{
		{"BlockRows", true, func(p *profile.Profile) *int { return &p.BlockRows },
			[]int{16, 32, 64, 128, 256}},
		{"LiftRows", false, func(p *profile.Profile) *int { return &p.LiftRows },
			[]int{16, 32, 64, 128, 256}},
		{"CallRows", false, func(p *profile.Profile) *int { return &p.CallRows },
			[]int{1024, 2048, 4096, 8192}},
	} {
		for _, value := range size.values {
			b.Run(fmt.Sprint(size.name, "/", value), func(b *testing.B) {
				field := size.of(profile.Current())
				now := *field
				defer func() { *field = now }()
				run := func(value int) func() {
					return func() {
						*field = value
						if valid, err := Do(context.Background(), columns,
							Options{Workers: 1, Exact: size.exact}); valid != n || err != nil {
							b.Fatal(valid, err)
						}
					}
				}
				t := medians(b.N, func() {}, run(now), run(value))
				b.ReportMetric(100*t[1]/t[0], "percent-of-profile's")
				b.ReportMetric(float64(now), "profile")
			})
		}
	}
}

// BenchmarkChallenges measures Challenges: the time of sixteen hashes at a time, of which
// some are wanted, in percent of one after another.
func BenchmarkChallenges(b *testing.B) {
	const rounds = 100
	r := rand.New(rand.NewSource(3))
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 12, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			field := &profile.Current().Challenges
			now := *field
			defer func() { *field = now }()
			rows := schnorrRows(r, n, someKeys(r, n), func(i int) int { return i },
				func(int) bool { return true })
			run := func(least int) func() {
				return func() {
					*field = least
					for range rounds {
						for i := range rows.flags {
							rows.flags[i] |= unhashed
						}
						rows.hash(0, n)
					}
				}
			}
			t := medians(b.N, func() {}, run(hash.Sixteen+1), run(1))
			b.ReportMetric(100*t[1]/t[0], "percent")
			b.ReportMetric(float64(now), "profile")
		})
	}
}
