package batch_test

import (
	"context"
	"crypto/sha256"
	"fmt"
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
// clients send one request after another over the loopback interface; the handler hashes data. The
// benchmark reports the elapsed time per request (ns/op, with four requests at a time) and the 50th
// and 99th percentiles.
//
// It compares these loads: none; a computing goroutine per CPU; an endless batch with one worker
// and with a worker per CPU; one equation after another; goroutines that verify single signatures,
// one per CPU; and a thousand callers of a queue.
func BenchmarkBeside(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%x", sha256.Sum256(make([]byte, 32<<10)))
	}))
	defer server.Close()

	const n = 16384
	_, _, rows := columnsOf(n)
	equation := newModels(n, batch.AnyS, nil)[0]
	equation.ways[0].addAll(goodValues(n)[0])
	cpus := runtime.GOMAXPROCS(0)
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for _, load := range []struct {
		name       string
		goroutines int
		run        func(r *signed) // called again and again by each goroutine
	}{
		{"nothing", 0, nil},
		{"computing", cpus, func(*signed) {
			x := uint64(1)
			for range 1000 {
				x = x*x + 1
			}
			runtime.KeepAlive(x)
		}},
		{"batch, 1 worker", 1, func(*signed) { verifying(b, n, oneWorker, n, rows.Verify)() }},
		{"batch", 1, func(*signed) { verifying(b, n, nil, n, rows.Verify)() }},
		{"one equation", 1, func(*signed) {
			if !verifyAll(equation) {
				b.Error("does not hold")
			}
		}},
		{"single", cpus, func(r *signed) { schnorr.Verify(r.x, r.hash, r.bip340) }},
		{"queue", 1000, func(r *signed) {
			q.VerifySchnorr(context.Background(), r.x, r.hash, r.bip340)
		}},
	} {
		b.Run(load.name, func(b *testing.B) {
			var stop atomic.Bool
			var other, clients sync.WaitGroup
			for g := range load.goroutines {
				other.Go(func() {
					for i := g; !stop.Load(); i++ {
						load.run(&signedRows()[i%1024])
					}
				})
			}
			defer other.Wait()
			defer stop.Store(true)

			var next atomic.Int64
			took := make([]time.Duration, b.N)
			b.ResetTimer()
			for range 4 {
				clients.Go(func() {
					for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
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
