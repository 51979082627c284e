package batch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/schnorr"
)

// BenchmarkEquationCost is what an equation for so many rows costs, in percent of
// verifying each: one worker, unparsed keys, memory kept. engine.equationCost is made
// of it.
func BenchmarkEquationCost(b *testing.B) {
	a := NewSchnorr(8192, Workers(1))
	for i := range cap(a.rows) {
		k := koblitz.GenerateKey()
		msg := [32]byte{byte(i), byte(i >> 8)}
		sig, err := schnorr.SignUnchecked(k, msg[:], nil)
		if err != nil {
			b.Fatal(err)
		}
		a.AddBytes(k.XOnlyPublicKey().Bytes(), msg[:], sig)
	}
	a.pending.flush(a.rows)
	verdicts := make([]Verdict, len(a.rows))
	for _, n := range []int{16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var percent []float64
			for range b.N {
				begin := time.Now()
				if !a.holds(&a.equation, engine.Schnorr, a.rows[:n]) {
					b.Fatal("does not hold")
				}
				middle := time.Now()
				a.verifyRows(engine.Schnorr, a.rows[:n], verdicts[:n])
				end := time.Now()
				percent = append(percent, 100*float64(middle.Sub(begin))/float64(end.Sub(middle)))
			}
			slices.Sort(percent)
			b.ReportMetric(percent[len(percent)/2], "percent")
		})
	}
}
