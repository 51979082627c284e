package batch_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

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
