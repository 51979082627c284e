package gpu

import (
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// compareBatches has a device verify hostile batches of n rows, directly and through package batch,
// and checks the verdicts.
func compareBatches(t *testing.T, d *device.Device, n int) {
	t.Helper()
	for _, b := range hostile.Batches(n) {
		c := b.Call()
		count := newCounted(t, d.Engine())
		if err := count.Run(t.Context(), c); err != nil || c.Verdicts[0] != b.Want {
			t.Errorf("%s, %d rows: verdict %d, want %d, %v", b.What, n, c.Verdicts[0], b.Want, err)
		}
		if c.Rules == device.Hashed {
			continue // package batch has no function that takes challenges
		}
		want := *c
		want.Verdicts = make([]device.Verdict, 1)
		err := cpu.Do(t.Context(), c, &batch.Options{Device: count.device})
		if err != nil || count.failed.Load() != 0 || count.rows.Load() != 2*int64(n) {
			t.Errorf("%s, %d rows: %v, failed %d times, asked about %d rows", b.What, n, err,
				count.failed.Load(), count.rows.Load())
		}
		err = cpu.Do(t.Context(), &want, &batch.Options{Exact: true})
		if c.Verdicts[0] != want.Verdicts[0] || err != nil {
			t.Errorf("%s, %d rows: %v, want %v, %v", b.What, n, c.Verdicts[0], want.Verdicts[0], err)
		}
	}
}

// TestEquations checks that an OpenCL device gives the host's answers for batches with valid and
// hostile rows, whether a batch is computed as one equation or as several.
func TestEquations(t *testing.T) {
	failed := OnError(func(err error) { t.Error(err) })
	d := openCL(t, From(1), failed)
	compareBatches(t, d, 2)
	compareBatches(t, d, 150)
	if deep() {
		compareBatches(t, openCL(t, From(1), failed, MemoryLimit(1<<17)), 300)
	}
}
