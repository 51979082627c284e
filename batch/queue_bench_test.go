package batch_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A signed holds a row for benchmarks, with its key and signatures both parsed and encoded.
type signed struct {
	key    *koblitz.PublicKey
	x      *koblitz.XOnlyPublicKey
	hash   []byte
	ecdsa  *ecdsa.Signature
	sig65  []byte
	bip340 []byte
}

// signedRows returns valid signatures, each by another key.
var signedRows = sync.OnceValue(func() []signed {
	rows := make([]signed, 1024)
	for i := range rows {
		k := koblitz.GenerateKey()
		hash := koblitz.GenerateKey().XOnlyPublicKey().Bytes()
		rows[i].key, rows[i].x, rows[i].hash = k.PublicKey(), k.XOnlyPublicKey(), hash
		rows[i].ecdsa, _ = ecdsa.Sign(k, hash, nil)
		rows[i].sig65, _ = ecdsa.SignRecoverable(k, hash, nil)
		rows[i].bip340, _ = schnorr.Sign(k, hash, &schnorr.SignOptions{Unchecked: true})
	}
	return rows
})

// callersDo makes b.N calls of f, divided among the given number of concurrent goroutines.
func callersDo(b *testing.B, callers int, f func(r *signed) bool) {
	rows := signedRows()
	b.ReportAllocs()
	b.ResetTimer()
	cpu := cpuTime()
	defer func() { b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op") }()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				if !f(&rows[i%int64(len(rows))]) {
					b.Error("not valid")
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkQueue measures the time of a call, with one caller and with many concurrent callers,
// through a queue and with the function for one signature.
func BenchmarkQueue(b *testing.B) {
	for _, bench := range []struct {
		name    string
		callers int
	}{{"1 caller", 1}, {"1000 callers", 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
			b.Run("schnorr", func(b *testing.B) {
				b.Run("single", func(b *testing.B) {
					callersDo(b, bench.callers,
						func(r *signed) bool { return schnorr.Verify(r.x, r.hash, r.bip340) })
				})
				b.Run("queue", func(b *testing.B) {
					callersDo(b, bench.callers, func(r *signed) bool {
						ok, _ := q.VerifySchnorr(context.Background(), r.x, r.hash, r.bip340)
						return ok
					})
				})
			})
			b.Run("ecdsa", func(b *testing.B) {
				b.Run("single", func(b *testing.B) {
					callersDo(b, bench.callers,
						func(r *signed) bool { return ecdsa.Verify(r.key, r.hash, r.ecdsa) })
				})
				b.Run("queue", func(b *testing.B) {
					callersDo(b, bench.callers, func(r *signed) bool {
						ok, _ := q.VerifyECDSA(context.Background(), r.key, r.hash, r.ecdsa)
						return ok
					})
				})
			})
		})
	}
}

// BenchmarkQueueBursts starts a thousand goroutines at a time, one per signature, like a server
// that starts a goroutine for each message.
func BenchmarkQueueBursts(b *testing.B) {
	rows := signedRows()
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for name, f := range map[string]func(r *signed) bool{
		"single": func(r *signed) bool { return schnorr.Verify(r.x, r.hash, r.bip340) },
		"queue": func(r *signed) bool {
			ok, _ := q.VerifySchnorr(context.Background(), r.x, r.hash, r.bip340)
			return ok
		},
	} {
		b.Run(name, func(b *testing.B) {
			cpu := cpuTime()
			defer func() { b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op") }()
			for done := 0; done < b.N; {
				n := min(1000, b.N-done)
				var wg sync.WaitGroup
				for i := range n {
					wg.Go(func() {
						if !f(&rows[i]) {
							b.Error("not valid")
						}
					})
				}
				wg.Wait()
				done += n
			}
		})
	}
}

// BenchmarkQueueOverhead measures what the queue costs a single caller. The row is malformed,
// because a verification would hide the small cost.
func BenchmarkQueueOverhead(b *testing.B) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	sig := make([]byte, 63) // refused at once
	b.Run("idle", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			q.VerifySchnorr(context.Background(), nil, nil, sig)
		}
	})
	b.Run("beside a busy goroutine", func(b *testing.B) {
		var stop atomic.Bool
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for !stop.Load() {
				}
			}()
		}
		defer stop.Store(true)
		r := &signedRows()[0]
		for b.Loop() {
			q.VerifySchnorr(context.Background(), r.x, r.hash, r.bip340)
		}
	})
}
