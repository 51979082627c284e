package batch_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// lab/bench measures no calls that run at the same time, so queues have benchmarks here.

// share makes n calls of f, divided among the given number of concurrent goroutines.
func share(b *testing.B, n, callers int, f func(r *signed) bool) {
	rows := signedRows()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if !f(&rows[i%int64(len(rows))]) {
					b.Error("not valid")
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkQueue measures the time of a call, through a queue and with the function for one
// signature. There is one caller, or a thousand, or a new goroutine for each signature, a thousand
// at a time, as in a server that starts a goroutine for each message. Rows that are refused without
// a verification show what the queue itself costs.
func BenchmarkQueue(b *testing.B) {
	q, ctx := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS}), context.Background()
	for _, bench := range []struct {
		name           string
		callers, burst int
	}{{"1 caller", 1, 1 << 30}, {"1000 callers", 1000, 1 << 30}, {"bursts", 1000, 1000}} {
		for name, f := range map[string]func(r *signed) bool{
			"schnorr/single": func(r *signed) bool { return schnorr.Verify(r.x, r.hash, r.bip340) },
			"schnorr/queue": func(r *signed) bool {
				ok, _ := q.VerifySchnorr(ctx, r.x, r.hash, r.bip340)
				return ok
			},
			"refused": func(r *signed) bool {
				ok, _ := q.VerifySchnorr(ctx, nil, nil, r.bip340[:63])
				return !ok
			},
			"ecdsa/single": func(r *signed) bool { return ecdsa.Verify(r.key, r.hash, r.ecdsa) },
			"ecdsa/queue": func(r *signed) bool {
				ok, _ := q.VerifyECDSA(ctx, r.key, r.hash, r.ecdsa)
				return ok
			},
		} {
			b.Run(bench.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				cpu := cpuTime()
				for done := 0; done < b.N; done += bench.burst {
					share(b, min(bench.burst, b.N-done), bench.callers, f)
				}
				b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// BenchmarkQueueLoad starts calls at a fixed rate, each in a new goroutine, whether or not earlier
// calls have returned. It reports how many calls return in a second, and the median and the 99th
// percentile of the time from when a call was due until it returned. MaxWaiting is 4,096; the share
// of calls that it refuses is reported, and these have no part in the other numbers. For the
// percentiles to have a meaning, the run has to be long: -benchtime 100000x.
func BenchmarkQueueLoad(b *testing.B) {
	rows, ctx := signedRows(), context.Background()
	for _, rate := range []int{10_000, 20_000, 40_000, 60_000, 80_000, 100_000} {
		q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS, MaxWaiting: 4096})
		for _, way := range []struct {
			name string
			call func(r *signed) (bool, error)
		}{
			{"schnorr/single", func(r *signed) (bool, error) {
				return schnorr.Verify(r.x, r.hash, r.bip340), nil
			}},
			{"schnorr/queue", func(r *signed) (bool, error) {
				return q.VerifySchnorr(ctx, r.x, r.hash, r.bip340)
			}},
			{"ecdsa/queue", func(r *signed) (bool, error) {
				return q.VerifyECDSA(ctx, r.key, r.hash, r.ecdsa)
			}},
		} {
			b.Run(fmt.Sprint(way.name, "/", rate), func(b *testing.B) {
				times := make([]time.Duration, b.N)
				var busy atomic.Int64
				var wg sync.WaitGroup
				begin := time.Now()
				for i := range b.N {
					due := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
					for time.Now().Before(due) {
						runtime.Gosched() // a sleep would end up to a millisecond late
					}
					wg.Go(func() {
						valid, err := way.call(&rows[i%len(rows)])
						if err == batch.ErrBusy {
							busy.Add(1)
							return
						}
						if err != nil || !valid {
							b.Error("not valid", err)
						}
						times[i] = time.Since(due)
					})
				}
				wg.Wait()
				elapsed := time.Since(begin)
				slices.Sort(times)
				times = times[busy.Load():] // refused calls have 0
				b.ReportMetric(float64(len(times))/elapsed.Seconds(), "done/s")
				b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
				b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
				b.ReportMetric(100*float64(busy.Load())/float64(b.N), "busy-%")
			})
		}
		q.Close()
	}
}
