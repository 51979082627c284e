package batch_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
)

// BenchmarkWorkers measures the elapsed time of calls with one worker and with two workers, and the
// ratio of the two times.
func BenchmarkWorkers(b *testing.B) {
	bg := context.Background()
	for _, n := range []int{256, 512, 1024, 2048, 4096, 16384, 65536} {
		c, verdicts := columnsOf(n), make([]batch.Verdict, n)
		inTurn(b, fmt.Sprint("ecdsa/", n), func(workers int) {
			rows := c.ecdsa
			if valid, err := rows.Verify(bg, verdicts,
				&batch.Options{Workers: workers}); valid != n || err != nil {
				b.Fatal(valid, err)
			}
		})

		together := []*batch.Schnorr{1: batch.NewSchnorr(n, &batch.Options{Workers: 1}),
			2: batch.NewSchnorr(n, &batch.Options{Workers: 2})}
		for _, r := range differentRows(b, n) {
			for _, s := range together[1:] {
				s.AddBytes(r.x[:], r.msg[:], r.sig)
			}
		}
		inTurn(b, fmt.Sprint("schnorr equation/", n), func(workers int) {
			if !verifyAll(together[workers]) {
				b.Fatal("not valid")
			}
		})

		scalars, points := make([]group.Scalar, n), make([]group.Point, n)
		step := new(group.Point).SetGenerator()
		for i := range n {
			if _, err := scalars[i].SetUniformBytes(c.sigs[64*i:][:64]); err != nil {
				b.Fatal(err)
			}
			points[i].Add(&points[max(i-1, 0)], step)
			step.Double(step)
		}
		group.BatchNormalize(points)
		sum, err := msm.SumVartime(bg, scalars, points, &msm.Options{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		a := []*msm.Accumulator{1: msm.NewAccumulator(&msm.Options{Workers: 1}),
			2: msm.NewAccumulator(&msm.Options{Workers: 2})}
		inTurn(b, fmt.Sprint("sum/", n), func(workers int) {
			a[workers].Reset()
			if err := a[workers].AddVartime(bg, scalars, points); err != nil {
				b.Fatal(err)
			}
			if got, err := a[workers].SumVartime(bg); err != nil || !got.Equal(&sum) {
				b.Fatal("another sum", err)
			}
		})
		inTurn(b, fmt.Sprint("sum of fresh memory/", n), func(workers int) {
			if got, err := msm.SumVartime(bg, scalars, points, &msm.Options{Workers: workers}); err != nil ||
				!got.Equal(&sum) {
				b.Fatal("another sum", err)
			}
		})
	}
}

// A differentRow is a BIP-340 signature by a key that no other row has.
type differentRow struct {
	x, msg [32]byte
	sig    []byte
}

func differentRows(b *testing.B, n int) []differentRow {
	rows := make([]differentRow, n)
	for i := range rows {
		k := koblitz.GenerateKey()
		copy(rows[i].x[:], k.XOnlyPublicKey().Bytes())
		rows[i].msg[0], rows[i].msg[1], rows[i].msg[2] = byte(i), byte(i>>8), byte(i>>16)
		sig, err := schnorr.Sign(k, rows[i].msg[:], &schnorr.SignOptions{Unchecked: true})
		if err != nil {
			b.Fatal(err)
		}
		rows[i].sig = sig
	}
	return rows
}

// inTurn alternates between five calls of f with one worker and five with two. It reports the
// median time of a call for each number of workers.
func inTurn(b *testing.B, name string, f func(workers int)) {
	b.Run(name, func(b *testing.B) {
		const inRow = 5
		var times [3][]time.Duration
		for range b.N {
			for workers := 1; workers <= 2; workers++ {
				for range inRow {
					begin := time.Now()
					f(workers)
					times[workers] = append(times[workers], time.Since(begin))
				}
			}
		}
		var medians [3]float64
		for workers := 1; workers <= 2; workers++ {
			slices.Sort(times[workers])
			medians[workers] = float64(times[workers][len(times[workers])/2].Nanoseconds())
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(medians[1]/1000, "one-µs")
		b.ReportMetric(medians[2]/1000, "two-µs")
		b.ReportMetric(medians[1]/medians[2], "times")
	})
}
