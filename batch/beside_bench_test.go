package batch_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/schnorr"
)

// BenchmarkBeside measures how much verification slows a web server in the same program. Four
// clients send one request after another over the loopback interface; the handler hashes and
// encodes data. The benchmark reports the elapsed time per request (ns/op, with four requests at a
// time) and the 50th and 99th percentiles.
//
// It compares these loads: none; a computing goroutine per CPU; an endless batch with one worker
// and with a worker per CPU; one equation after another; goroutines that verify single signatures,
// one per CPU; and a thousand callers of a queue.
func BenchmarkBeside(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer struct{ Sums [][]byte }
		data := make([]byte, 4096)
		for i := range 8 {
			data[0] = byte(i)
			sum := sha256.Sum256(data)
			answer.Sums = append(answer.Sums, sum[:])
		}
		if json.NewEncoder(w).Encode(answer) != nil {
			b.Error("no answer")
		}
	}))
	defer server.Close()

	c, verdicts := columnsOf(16384), make([]batch.Verdict, 16384)
	endless := func(workers int) func(stop *atomic.Bool) {
		return func(stop *atomic.Bool) {
			for !stop.Load() {
				rows := c.schnorr
				if _, err := rows.Verify(context.Background(), verdicts,
					&batch.Options{Workers: workers}); err != nil {
					b.Error(err)
				}
			}
		}
	}
	several := func(n int, f func(r *signed)) func(stop *atomic.Bool) {
		return func(stop *atomic.Bool) {
			var wg sync.WaitGroup
			for g := range n {
				wg.Go(func() {
					for i := g; !stop.Load(); i++ {
						f(&signedRows()[i%len(signedRows())])
					}
				})
			}
			wg.Wait()
		}
	}
	together := batch.NewSchnorr(16384, nil)
	for _, r := range differentRows(b, 16384) {
		together.AddBytes(r.x[:], r.msg[:], r.sig)
	}
	cpus := runtime.GOMAXPROCS(0)
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for _, load := range []struct {
		name string
		run  func(stop *atomic.Bool)
	}{
		{"nothing", func(*atomic.Bool) {}},
		{"computing", several(cpus, func(*signed) {
			x := uint64(1)
			for range 1000 {
				x = x*x + 1
			}
			runtime.KeepAlive(x)
		})},
		{"batch, 1 worker", endless(1)},
		{"batch", endless(cpus)},
		{"one equation", func(stop *atomic.Bool) {
			for !stop.Load() {
				if !verifyAll(together) {
					b.Error("does not hold")
				}
			}
		}},
		{"single", several(cpus, func(r *signed) { schnorr.Verify(r.x, r.hash, r.bip340) })},
		{"queue", several(1000, func(r *signed) {
			q.VerifySchnorr(context.Background(), r.x, r.hash,
				r.bip340)
		})},
	} {
		b.Run(load.name, func(b *testing.B) {
			var stop atomic.Bool
			var other sync.WaitGroup
			other.Go(func() { load.run(&stop) })
			defer other.Wait()
			defer stop.Store(true)

			var next atomic.Int64
			var clients sync.WaitGroup
			took := make([]time.Duration, b.N)
			b.ResetTimer()
			for range 4 {
				clients.Go(func() {
					for {
						i := next.Add(1) - 1
						if i >= int64(b.N) {
							return
						}
						begin := time.Now()
						answer, err := http.Get(server.URL)
						if err != nil {
							b.Error(err)
							return
						}
						io.Copy(io.Discard, answer.Body)
						answer.Body.Close()
						took[i] = time.Since(begin)
					}
				})
			}
			clients.Wait()
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
