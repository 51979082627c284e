package batch_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// lab/bench measures valid rows of most kinds in calls of all sizes. The benchmarks below measure
// rows that lab/bench lacks: bad rows, recovery ids that do not save anything, several workers, and
// the operations of lab/bench/pairs, which compares two versions of the package.

// A signed holds valid signatures on a hash, with the key and the signatures parsed and encoded.
type signed struct {
	key    *koblitz.PublicKey
	x      *koblitz.XOnlyPublicKey
	hash   []byte
	ecdsa  *ecdsa.Signature
	sig65  []byte
	bip340 []byte
}

var distinct struct {
	sync.Mutex
	rows []signed
}

// distinctRows returns n valid signatures, each by another key.
func distinctRows(n int) []signed {
	distinct.Lock()
	defer distinct.Unlock()
	for len(distinct.rows) < n {
		k, hash := koblitz.GenerateKey(), koblitz.GenerateKey().XOnlyPublicKey().Bytes()
		r := signed{key: k.PublicKey(), x: k.XOnlyPublicKey(), hash: hash}
		r.sig65 = reference.Must(ecdsa.SignRecoverable(k, hash, nil))
		r.ecdsa = reference.Must(ecdsa.ParseSignature(r.sig65[:64]))
		r.bip340 = reference.Must(schnorr.Sign(k, hash, &schnorr.SignOptions{Unchecked: true}))
		distinct.rows = append(distinct.rows, r)
	}
	return distinct.rows[:n]
}

func signedRows() []signed { return distinctRows(1024) }

// columnsOf returns n valid rows of distinct keys, the ECDSA rows without their recovery ids.
func columnsOf(n int) (e batch.ECDSARows, ids batch.Column, s batch.SchnorrRows) {
	var hashes, keys33, keys32, sigs, bip340 []byte
	for _, r := range distinctRows(n) {
		hashes = append(hashes, r.hash...)
		keys33 = r.key.AppendBytes(keys33)
		keys32 = r.x.AppendBytes(keys32)
		sigs = append(sigs, r.sig65...)
		bip340 = append(bip340, r.bip340...)
	}
	messages := batch.Packed(hashes, 32)
	e = batch.ECDSARows{Hashes: messages, Keys: batch.EncodedKeys(batch.Packed(keys33, 33)),
		Signatures: batch.Strided(sigs, 64, 65), S: batch.AnyS}
	s = batch.SchnorrRows{Messages: messages, Keys: batch.EncodedKeys(batch.Packed(keys32, 32)),
		Signatures: batch.Packed(bip340, 64)}
	return e, batch.Strided(sigs[64:], 1, 65), s
}

// perRow runs f, which verifies n rows, until b.N rows are done. It reports the elapsed time per
// row and the CPU time per row. Other work on the machine lengthens the elapsed time and not the
// CPU time.
func perRow(b *testing.B, n int, f func()) {
	b.ReportAllocs()
	b.ResetTimer()
	begin, done := cpuTime(), 0
	for ; done < b.N; done += n {
		f()
	}
	b.ReportMetric(float64(cpuTime()-begin)/float64(done), "cpu-ns/op")
	b.ReportMetric(float64(b.Elapsed())/float64(done), "ns/op")
}

// verifyRows is the method Verify of rows.
type verifyRows = func(context.Context, []batch.Verdict, *batch.Options) (int, error)

// verifying returns a function that calls verify for n rows. The number of valid rows must be want.
func verifying(b *testing.B, n int, o *batch.Options, want int, verify verifyRows) func() {
	verdicts := make([]batch.Verdict, n)
	return func() {
		if valid, err := verify(context.Background(), verdicts, o); valid != want || err != nil {
			b.Error(valid, err)
		}
	}
}

var oneWorker = &batch.Options{Workers: 1}

// BenchmarkVerify measures, with one worker, the time per row of verifying ECDSA signatures with
// recovery ids and of recovering Ethereum addresses.
func BenchmarkVerify(b *testing.B) {
	for _, n := range []int{1, 8, 64, 1024} {
		e, ids, _ := columnsOf(n)
		e.RecoveryIDs = ids
		sigs65, dst := make([]byte, 0, 65*n), make([]byte, 20*n)
		for _, r := range distinctRows(n) {
			sigs65 = append(sigs65, r.sig65...)
		}
		rows := batch.RecoverRows{Hashes: e.Hashes, Signatures: batch.Packed(sigs65, 65), S: batch.AnyS}
		for name, verify := range map[string]verifyRows{
			"ecdsa, recovery ids": e.Verify,
			"recover addresses": func(
				ctx context.Context, v []batch.Verdict, o *batch.Options,
			) (int, error) {
				return rows.EthereumAddresses(ctx, dst, v, o)
			},
		} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				perRow(b, n, verifying(b, n, oneWorker, n, verify))
			})
		}
	}
}

// BenchmarkCrafted measures a batch of crafted rows, in which u1·G + u2·Q is infinity, which is an
// exceptional case in lanes. It compares the batch with single calls for the same rows.
func BenchmarkCrafted(b *testing.B) {
	const n = 256
	r := rand.New(rand.NewPCG(28, 28))
	var hashes, keys, sigs []byte
	for range n {
		d, u2 := inOrder(reference.RandInt(r)), inOrder(reference.RandInt(r))
		minus := new(big.Int).Neg(d)
		hash, sig := signatureOf(encode(num(1+int64(r.IntN(1000)))), minus.Mul(minus, u2), u2)
		hashes = append(hashes, hash...)
		keys = append(keys, encoded(encode(d), 33)...)
		sigs = append(sigs, sig[:64]...)
	}
	c := batch.ECDSARows{Hashes: batch.Packed(hashes, 32), S: batch.AnyS,
		Keys: batch.EncodedKeys(batch.Packed(keys, 33)), Signatures: batch.Packed(sigs, 64)}
	b.Run("batch", func(b *testing.B) { perRow(b, n, verifying(b, n, oneWorker, 0, c.Verify)) })
	b.Run("single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % n
			key, _ := koblitz.ParsePublicKey(keys[33*i : 33*i+33])
			sig, _ := ecdsa.ParseSignature(sigs[64*i : 64*i+64])
			if ecdsa.Verify(key, hashes[32*i:32*i+32], sig) {
				b.Fatal("valid")
			}
		})
	})
}

// BenchmarkForged measures batches of only invalid signatures, with the zero Options and with
// Exact. Without Exact they should take at most 1.2 times as long, because a batch whose equations
// fail soon stops trying equations.
func BenchmarkForged(b *testing.B) {
	for _, n := range []int{64, 1024, 16384} {
		_, _, rows := columnsOf(n)
		rows.Messages = batch.Packed(make([]byte, 32*n), 32)
		for name, o := range map[string]*batch.Options{
			"default": oneWorker, "exact": {Workers: 1, Exact: true},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				perRow(b, n, verifying(b, n, o, 0, rows.Verify))
			})
		}
	}
}

// BenchmarkExact verifies n rows one by one, without equations.
func BenchmarkExact(b *testing.B) {
	for _, n := range []int{4, 8, 9, 64, 1024} {
		e, _, s := columnsOf(n)
		for name, verify := range map[string]verifyRows{"ecdsa": e.Verify, "schnorr": s.Verify} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				f := verifying(b, n, &batch.Options{Workers: 1, Exact: true}, n, verify)
				for b.Loop() {
					f()
				}
			})
		}
	}
}

// BenchmarkEquation adds n encoded rows to an accumulator and asks for one verdict on all.
func BenchmarkEquation(b *testing.B) {
	for _, n := range []int{64, 1024} {
		good := goodValues(n)
		for i, m := range newModels(n, batch.AnyS, oneWorker) {
			b.Run(fmt.Sprint([]string{"schnorr", "ecdsa"}[i], "/", n), func(b *testing.B) {
				for b.Loop() {
					m.Reset()
					if m.ways[0].addAll(good[i]); !verifyAll(m) {
						b.Fatal("not valid")
					}
				}
			})
		}
	}
}

// BenchmarkWorkers measures the elapsed time of calls with one worker and with two workers, and the
// ratio of the two times.
func BenchmarkWorkers(b *testing.B) {
	for _, n := range []int{64, 256, 512, 1024, 2048, 4096, 16384} {
		e, _, _ := columnsOf(n)
		var each, all [2]func()
		for i := range 2 {
			o := &batch.Options{Workers: 1 + i}
			each[i] = verifying(b, n, o, n, e.Verify)
			s := newModels(n, batch.AnyS, o)[0]
			s.ways[0].addAll(goodValues(n)[0])
			all[i] = func() {
				if !verifyAll(s) {
					b.Fatal("not valid")
				}
			}
		}
		inTurn(b, fmt.Sprint("ecdsa/", n), each)
		inTurn(b, fmt.Sprint("schnorr equation/", n), all)
	}
}

// inTurn alternates between five calls with one worker and five with two. It reports the median
// time of a call for each number of workers.
func inTurn(b *testing.B, name string, f [2]func()) {
	b.Run(name, func(b *testing.B) {
		var times [2][]time.Duration
		for i := range 10 * b.N {
			begin := time.Now()
			f[i/5%2]()
			times[i/5%2] = append(times[i/5%2], time.Since(begin))
		}
		var medians [2]float64
		for i := range times {
			slices.Sort(times[i])
			medians[i] = float64(times[i][len(times[i])/2].Nanoseconds())
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(medians[0]/1000, "one-µs")
		b.ReportMetric(medians[1]/1000, "two-µs")
		b.ReportMetric(medians[0]/medians[1], "times")
	})
}
