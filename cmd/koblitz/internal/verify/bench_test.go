package verify

import (
	"context"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// exactly verifies with package batch and never tries batch equations.
func exactly(ctx context.Context, c *block) {
	c.verify(ctx, batch.Options{Workers: 1, Exact: true})
}

// BenchmarkBad measures the cost per row of a file in which every row is bad in the same way. It
// has three variants for each kind of bad row. In "default" the rows are verified as a run does it
// without options. In "exact" no batch equations and no second verifications are used. In "single"
// each row is verified alone.
func BenchmarkBad(b *testing.B) {
	const n = 4 * blockRows
	for name, u := range badUnits(b) {
		units := slices.Repeat(unitBatch{u}, n)
		for i := range units { // distinct rows need distinct coefficients
			if u.Scheme == reading.Schnorr {
				s := slices.Clone(u.Signatures)
				s[0].Digest[0], s[0].Digest[1] = byte(i), byte(i>>8)
				units[i].Signatures = s
			}
		}
		for _, road := range []struct {
			name string
			w    func() *worker
		}{
			{"default", func() *worker { return newWorker(&Config{Workers: 1}, new(distrust)) }},
			{"exact", func() *worker {
				w := newWorker(&Config{Workers: 1, verifyBlock: exactly}, new(distrust))
				w.bad, w.good = sampler{1 << 30, firstLooks, -1}, sampler{1 << 30, firstLooks, -1}
				return w
			}},
			{"single", func() *worker {
				return newWorker(&Config{Workers: 1, OneByOne: true}, new(distrust))
			}},
		} {
			b.Run(name+"/"+road.name, func(b *testing.B) {
				for b.Loop() {
					w := road.w()
					j := &job{batch: units, done: make(chan struct{})}
					w.expand(b.Context(), j)
					w.finish(b.Context())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
