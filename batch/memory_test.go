package batch_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// measure returns the number of allocations by f and their bytes: the smallest values of up to 50
// runs. It repeats f because other goroutines allocate too, and because under the race detector a
// sync.Pool drops values at random. It stops once both numbers are within mostTimes and mostBytes.
func measure(mostTimes, mostBytes uint64, f func()) (times, bytes uint64) {
	times, bytes = 1<<63, 1<<63
	for try := 0; try < 50 && (times > mostTimes || bytes > mostBytes); try++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		times = min(times, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return times, bytes
}

// TestAllocations checks that the allocations of a call depend on the numbers of workers and of
// equations, and not on the number of rows.
func TestAllocations(t *testing.T) {
	const perWorker, perEquation, most = 30, 20, 260 << 10
	sizes := []int{1, 8, 100, 1500}
	if !cputest.Deep() {
		sizes = sizes[:3]
	}
	each(t, func(t *testing.T) {
		for _, k := range kinds() {
			if k.loose || k.secret != nil {
				continue
			}
			for _, n := range sizes {
				g := k.give(rand.New(rand.NewPCG(20, 20)), packed, pick(rand.New(rand.NewPCG(1, 1)),
					k.all(), n))
				verdicts, dst := dirty(n), make([]byte, k.size*n)
				for _, workers := range []int{1, 2} {
					mostTimes := uint64(perWorker*workers + perEquation*(1+n/256))
					mostBytes := uint64(most * workers)
					times, bytes := measure(mostTimes, mostBytes, func() {
						o := &batch.Options{Workers: workers}
						if _, err := k.each(context.Background(), g, dst, verdicts, o); err != nil {
							t.Error(err)
						}
					})
					if times > mostTimes || bytes > mostBytes {
						t.Errorf("%s, %d rows, %d workers: %d allocations of %d bytes", k.name, n, workers,
							times, bytes)
					}
				}
			}
		}
	})
}

// TestAccumulatorMemory checks that a reused accumulator allocates no more memory, and that a new
// one needs 163 bytes per signature.
func TestAccumulatorMemory(t *testing.T) {
	const n = 2000
	rows := pick(rand.New(rand.NewPCG(21, 21)), kindNamed("SchnorrRows").all(), n)
	var b *batch.Schnorr
	const mostNew = 163*n + 8192 // memory for many bytes is a multiple of 8192 bytes
	_, bytes := measure(1<<63, mostNew, func() { b = batch.NewSchnorr(n, nil) })
	if bytes > mostNew {
		t.Errorf("%d bytes a signature", bytes/n)
	}
	if times := testing.AllocsPerRun(5, func() {
		b.Reset()
		for _, row := range rows {
			b.AddBytes(row.values[1], row.values[0], row.values[2])
		}
	}); times != 0 {
		t.Errorf("%v allocations in adding %d signatures", times, n)
	}
	verdicts := dirty(n)
	const mostTimes, mostBytes = 100, 1 << 20
	times, bytes := measure(mostTimes, mostBytes, func() { verdicts = verify(b, verdicts) })
	if times > mostTimes || bytes > mostBytes {
		t.Errorf("%d allocations of %d bytes in Verify", times, bytes)
	}
}

// TestColumnMemory checks that columns that are made for a call take no memory on the heap.
func TestColumnMemory(t *testing.T) {
	secret, key33, sig65 := bytes.Repeat([]byte{1}, 32), make([]byte, 33), make([]byte, 65)
	key33[0] = 2
	key, sig, dst, verdicts := key33[1:], sig65[:64], make([]byte, 65), dirty(1)
	ctx, o, so := context.Background(), &batch.Options{Workers: 1}, &batch.SecretOptions{Workers: 1}
	for name, f := range map[string]func(){
		"SchnorrRows": func() {
			batch.SchnorrRows{Messages: batch.Same(secret), Keys: batch.EncodedKeys(batch.Packed(key, 32)),
				Signatures: batch.Same(sig)}.Verify(ctx, verdicts, o)
		},
		"ECDSARows, 33 bytes, ids true, rule 2": func() {
			batch.ECDSARows{Hashes: batch.Same(secret), Keys: batch.EncodedKeys(batch.Packed(key33, 33)),
				Signatures: batch.Same(sig), RecoveryIDs: batch.Packed(sig65[64:], 1),
				S: batch.AnyS}.Verify(ctx, verdicts, o)
		},
		"RecoverRows, rule 1": func() {
			batch.RecoverRows{Hashes: batch.Same(secret), Signatures: batch.Strided(sig65, 65, 65),
				S: batch.AnyS}.Recover(ctx, dst, verdicts, o)
		},
		"TweakRows, 33 bytes": func() {
			batch.TweakRows{Keys: batch.Packed(key33, 33), Tweaks: batch.Same(secret)}.AddVartime(
				ctx, dst, verdicts, o)
		},
		"ECDHRows, 33 bytes": func() {
			batch.ECDHRows{Secrets: batch.Same(secret), Keys: batch.Packed(key33, 33)}.SharedX(
				ctx, dst[:32], verdicts, so)
		},
		"SchnorrSignRows": func() {
			batch.SchnorrSignRows{Secrets: batch.Same(secret), Messages: batch.Packed(key, 32),
				Aux: batch.Same(secret)}.Sign(ctx, dst[:64], verdicts, so)
		},
		"ECDSASignRows": func() {
			batch.ECDSASignRows{Secrets: batch.Same(secret), Hashes: batch.Packed(key, 32)}.Sign(
				ctx, dst, verdicts, so)
		},
	} {
		k := kindNamed(name)
		g := k.give(rand.New(rand.NewPCG(1, 1)), packed, k.all()[:1])
		var call func()
		switch {
		case k.verifier != nil:
			rows := k.verifier(g)
			call = func() { rows.Verify(ctx, verdicts, o) }
		case k.finder != nil:
			find := k.finder(g)
			call = func() { find(ctx, dst[:k.size], verdicts, o) }
		default:
			find := k.secret(g)
			call = func() { find(ctx, dst[:k.size], verdicts, so) }
		}
		want, _ := measure(0, 0, call)
		if times, _ := measure(want, 1<<63, f); times > want {
			t.Errorf("%s: %d allocations, with columns made before %d", name, times, want)
		}
	}
}
