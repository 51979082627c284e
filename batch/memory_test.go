package batch_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
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
	r := rand.New(rand.NewPCG(20, 20))
	each(t, func(t *testing.T) {
		sizes := []int{1, 8, 100, 1500}
		if !cputest.Deep() {
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
			keyColumn := column(r, rows, key)
			ecdsaRows := batch.ECDSARows{Hashes: column(r, rows, msg), Keys: batch.EncodedKeys(keyColumn),
				Signatures: column(r, rows, sig), S: batch.AnyS}
			schnorrRows := batch.SchnorrRows{Messages: column(r, s, msg),
				Keys:       batch.EncodedKeys(column(r, s, key)),
				Signatures: column(r, s, sig)}
			recoverRows := batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 0, sigs),
				S: batch.AnyS}
			set := []*koblitz.PreparedKey{koblitz.GenerateKey().PublicKey().Prepare(1024)}
			prepared := batch.ECDSARows{Hashes: ecdsaRows.Hashes, Signatures: ecdsaRows.Signatures,
				Keys: batch.PreparedKeys(set, make([]uint32, n)), S: batch.AnyS}
			for name, f := range map[string]func(workers int) (int, error){
				"ECDSARows": func(w int) (int, error) {
					return ecdsaRows.Verify(context.Background(), verdicts, &batch.Options{Workers: w})
				},
				"SchnorrRows": func(w int) (int, error) {
					return schnorrRows.Verify(context.Background(), verdicts, &batch.Options{Workers: w})
				},
				"RecoverRows": func(w int) (int, error) {
					return recoverRows.Recover(context.Background(), dst, verdicts,
						&batch.Options{Workers: w})
				},
				"RecoverRows, addresses": func(w int) (int, error) {
					return recoverRows.EthereumAddresses(context.Background(), dst[:20*n], verdicts,
						&batch.Options{Workers: w})
				},
				"KeyRows": func(w int) (int, error) {
					return batch.KeyRows{Keys: keyColumn}.Decompress(context.Background(), dst, verdicts,
						&batch.Options{Workers: w})
				},
				"EllswiftRows": func(w int) (int, error) {
					return batch.EllswiftRows{Encodings: ecdsaRows.Signatures}.XOnlyPublicKeys(
						context.Background(), dst[:32*n], verdicts, &batch.Options{Workers: w})
				},
				"ECDSARows, prepared": func(w int) (int, error) {
					return prepared.Verify(context.Background(), verdicts, &batch.Options{Workers: w})
				},
				"ScalarRows": func(w int) (int, error) {
					return batch.ScalarRows{Scalars: ecdsaRows.Hashes}.PublicKeysVartime(context.Background(),
						dst,
						verdicts, &batch.Options{Workers: w})
				},
				"TweakRows": func(w int) (int, error) {
					return batch.TweakRows{Keys: keyColumn, Tweaks: ecdsaRows.Hashes}.AddVartime(
						context.Background(), dst, verdicts, &batch.Options{Workers: w})
				},
				"TweakRows, one key": func(w int) (int, error) {
					return batch.TweakRows{Keys: batch.Same(rows[0].key), Tweaks: ecdsaRows.Hashes}.AddVartime(
						context.Background(), dst, verdicts, &batch.Options{Workers: w})
				},
				"TweakCheckRows": func(w int) (int, error) {
					return batch.TweakCheckRows{Keys: schnorrRows.Messages, Tweaks: ecdsaRows.Hashes,
						Outputs: ecdsaRows.Hashes, Parities: batch.Same(make([]byte, 1))}.Verify(
						context.Background(), verdicts, &batch.Options{Workers: w})
				},
			} {
				for _, workers := range []int{1, 2} {
					mostTimes := uint64(perWorker*workers + perEquation*(1+n/256))
					mostBytes := uint64(most * workers)
					times, bytes := measure(mostTimes, mostBytes, func() {
						if _, err := f(workers); err != nil {
							t.Error(err)
						}
					})
					if times > mostTimes || bytes > mostBytes {
						t.Errorf("%s, %d rows, %d workers: %d allocations of %d bytes", name, n, workers, times,
							bytes)
					}
				}
			}
		}
	})
}

// TestAccumulatorMemory checks that a reused accumulator allocates no more memory, and that a new
// one needs less than 200 bytes per signature, or 16 bytes more on platforms with narrow limbs.
func TestAccumulatorMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	const n = 2000
	rows := pick(r, schnorrRows(), n)
	var b *batch.Schnorr
	const mostNew = (200 + 4*(field.Size-32)) * n
	_, bytes := measure(1<<63, mostNew, func() { b = batch.NewSchnorr(n, nil) })
	if bytes > mostNew {
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
	keep := func(c ...batch.Column) []batch.Column { return c } // these columns are on the heap
	k := keep(batch.Same(secret), batch.Packed(key, 32), batch.Packed(key33, 33), batch.Same(sig),
		batch.Strided(sig65, 65, 65), batch.Packed(sig65[64:], 1))
	for name, f := range map[string][2]func(){
		"SchnorrRows": {func() {
			batch.SchnorrRows{Messages: k[0], Keys: batch.EncodedKeys(k[1]), Signatures: k[3]}.Verify(
				ctx, verdicts, o)
		}, func() {
			batch.SchnorrRows{Messages: batch.Same(secret), Keys: batch.EncodedKeys(batch.Packed(key, 32)),
				Signatures: batch.Same(sig)}.Verify(ctx, verdicts, o)
		}},
		"ECDSARows": {func() {
			batch.ECDSARows{Hashes: k[0], Keys: batch.EncodedKeys(k[2]), Signatures: k[3],
				RecoveryIDs: k[5], S: batch.AnyS}.Verify(ctx, verdicts, o)
		}, func() {
			batch.ECDSARows{Hashes: batch.Same(secret), Keys: batch.EncodedKeys(batch.Packed(key33, 33)),
				Signatures: batch.Same(sig), RecoveryIDs: batch.Packed(sig65[64:], 1),
				S: batch.AnyS}.Verify(ctx, verdicts, o)
		}},
		"RecoverRows": {func() {
			batch.RecoverRows{Hashes: k[0], Signatures: k[4], S: batch.AnyS}.Recover(ctx, dst, verdicts, o)
		}, func() {
			batch.RecoverRows{Hashes: batch.Same(secret), Signatures: batch.Strided(sig65, 65, 65),
				S: batch.AnyS}.Recover(ctx, dst, verdicts, o)
		}},
		"TweakRows": {func() {
			batch.TweakRows{Keys: k[2], Tweaks: k[0]}.AddVartime(ctx, dst, verdicts, o)
		}, func() {
			batch.TweakRows{Keys: batch.Packed(key33, 33), Tweaks: batch.Same(secret)}.AddVartime(
				ctx, dst, verdicts, o)
		}},
		"ECDHRows": {func() {
			batch.ECDHRows{Secrets: k[0], Keys: k[2]}.SharedX(ctx, dst[:32], verdicts, so)
		}, func() {
			batch.ECDHRows{Secrets: batch.Same(secret), Keys: batch.Packed(key33, 33)}.SharedX(
				ctx, dst[:32], verdicts, so)
		}},
		"SchnorrSignRows": {func() {
			batch.SchnorrSignRows{Secrets: k[0], Messages: k[1], Aux: k[0]}.Sign(
				ctx, dst[:64], verdicts, so)
		}, func() {
			batch.SchnorrSignRows{Secrets: batch.Same(secret), Messages: batch.Packed(key, 32),
				Aux: batch.Same(secret)}.Sign(ctx, dst[:64], verdicts, so)
		}},
		"ECDSASignRows": {func() {
			batch.ECDSASignRows{Secrets: k[0], Hashes: k[1]}.Sign(ctx, dst, verdicts, so)
		}, func() {
			batch.ECDSASignRows{Secrets: batch.Same(secret), Hashes: batch.Packed(key, 32)}.Sign(
				ctx, dst, verdicts, so)
		}},
	} {
		want, _ := measure(0, 0, f[0])
		if times, _ := measure(want, 1<<63, f[1]); times > want {
			t.Errorf("%s: %d allocations, with columns made before %d", name, times, want)
		}
	}
}
