package batch_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// measure returns how many times f allocates and how many bytes, the least of a
// few runs: other goroutines, of the runtime or of a test before, allocate too.
func measure(f func()) (times, bytes uint64) {
	times, bytes = 1<<63, 1<<63
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		times = min(times, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return times, bytes
}

// A call allocates for its workers and not for its rows.
func TestAllocations(t *testing.T) {
	const perWorker, most = 30, 260 << 10
	r := rand.New(rand.NewPCG(20, 20))
	each(t, func(t *testing.T) {
		sizes := []int{1, 8, 100, 1500}
		if testing.Short() {
			sizes = sizes[:3]
		}
		for _, n := range sizes {
			rows := pick(r, ecdsaRows(), n)
			s := pick(r, schnorrRows(), n)
			recoverable := pick(r, recoverRows(), n)
			hashes, sigs := make([][]byte, n), make([][]byte, n)
			for i, row := range recoverable {
				hashes[i], sigs[i] = row.hash, row.sig
			}
			verdicts, dst := dirty(n), make([]byte, 65*n)
			ecdsaRows := batch.ECDSARows{Hashes: column(r, rows, msg), Keys: column(r, rows, key), Signatures: column(r, rows, sig)}
			schnorrRows := batch.SchnorrRows{Messages: column(r, s, msg), Keys: column(r, s, key), Signatures: column(r, s, sig)}
			recoverRows := batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 0, sigs)}
			prepared := batch.PreparedECDSARows{Hashes: ecdsaRows.Hashes, Signatures: ecdsaRows.Signatures,
				Keys: []*koblitz.PreparedKey{koblitz.GenerateKey().PublicKey().Prepare(1024)}}
			for name, f := range map[string]func(opts ...batch.Option) (int, error){
				"ECDSARows":   func(o ...batch.Option) (int, error) { return ecdsaRows.Verify(context.Background(), verdicts, o...) },
				"SchnorrRows": func(o ...batch.Option) (int, error) { return schnorrRows.Verify(context.Background(), verdicts, o...) },
				"RecoverRows": func(o ...batch.Option) (int, error) {
					return recoverRows.Recover(context.Background(), dst, verdicts, o...)
				},
				"KeyRows": func(o ...batch.Option) (int, error) {
					return batch.KeyRows{Keys: ecdsaRows.Keys}.Decompress(context.Background(), dst, verdicts, o...)
				},
				"PreparedECDSARows": func(o ...batch.Option) (int, error) { return prepared.Verify(context.Background(), verdicts, o...) },
			} {
				for _, workers := range []int{1, 2} {
					opts := []batch.Option{batch.Workers(workers)}
					times, bytes := measure(func() {
						if _, err := f(opts...); err != nil {
							t.Error(err)
						}
					})
					if times > uint64(perWorker*workers) || bytes > uint64(most*workers) {
						t.Errorf("%s, %d rows, %d workers: %d allocations of %d bytes", name, n, workers, times, bytes)
					}
				}
			}
		}
	})
}

// An accumulator that is used again needs no more memory, and less than 200
// bytes a signature when it is new.
func TestAccumulatorMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	const n = 2000
	rows := pick(r, schnorrRows(), n)
	var b *batch.Schnorr
	if _, bytes := measure(func() { b = batch.NewSchnorr(n) }); bytes > 200*n {
		t.Errorf("%d bytes a signature", bytes/n)
	}
	if times := testing.AllocsPerRun(5, func() {
		b.Reset()
		for i := range rows {
			b.AddBytes(rows[i].key, rows[i].msg, rows[i].sig)
		}
	}); times != 0 {
		t.Errorf("%v allocations in adding %d signatures", times, n)
	}
	verdicts := dirty(n)
	if times, bytes := measure(func() { verdicts = b.VerifyEach(verdicts) }); times > 100 || bytes > 1<<20 {
		t.Errorf("%d allocations of %d bytes in VerifyEach", times, bytes)
	}
}

// With Reuse, calls allocate no memory to speak of, whatever their sizes and
// kinds, and several at a time.
func TestReuseConcurrently(t *testing.T) {
	each(t, func(t *testing.T) {
		var m batch.Memory
		bg := context.Background()
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(24, uint64(g)))
				for range 15 {
					rows, verdicts := pick(r, ecdsaRows(), r.IntN(100)), dirty(100)
					cols := batch.ECDSARows{Hashes: column(r, rows, msg), Keys: column(r, rows, key), Signatures: column(r, rows, sig)}
					valid, err := cols.Verify(bg, verdicts[:len(rows)], batch.Reuse(&m), batch.Workers(2))
					compare(t, rows, false, verdicts[:len(rows)], valid, err)
					rows = pick(r, schnorrRows(), r.IntN(100))
					s := batch.SchnorrRows{Messages: column(r, rows, msg), Keys: column(r, rows, key), Signatures: column(r, rows, sig)}
					valid, err = s.Verify(bg, verdicts[:len(rows)], batch.Reuse(&m), batch.Reuse(nil))
					compare(t, rows, false, verdicts[:len(rows)], valid, err)
				}
			})
		}
		wg.Wait()

		rows := pick(rand.New(rand.NewPCG(25, 25)), ecdsaRows(), 64)
		cols := batch.ECDSARows{Hashes: column(rand.New(rand.NewPCG(26, 26)), rows, msg), Keys: batch.Packed(bytes.Repeat(rows[0].key, 64), 33),
			Signatures: batch.Packed(bytes.Repeat(rows[0].sig, 64), 64)}
		verdicts, opts := dirty(64), []batch.Option{batch.Reuse(&m), batch.Workers(1)}
		if times, bytes := measure(func() { cols.Verify(bg, verdicts, opts...) }); times > 10 || bytes > 2000 {
			t.Errorf("%d allocations of %d bytes", times, bytes)
		}
	})
}
