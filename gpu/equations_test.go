package gpu

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/engine"
	"github.com/koblitz-go/koblitz/gpu/internal/hostile"
	inner "github.com/koblitz-go/koblitz/internal/device"
)

// verifyAll has package batch verify all rows of a call.
func verifyAll(
	ctx context.Context, c *inner.Call, on batch.DeviceOption, exact batch.ExactOption,
) (bool, error) {
	cols := engine.Columns(c)
	if c.Kind == inner.AllSchnorr {
		rows := batch.SchnorrRows{Messages: cols[0], Keys: cols[1], Signatures: cols[2]}
		return rows.VerifyAll(ctx, on, exact)
	}
	rows := batch.ECDSARows{Hashes: cols[0], Keys: cols[1], Signatures: cols[2], RecoveryIDs: cols[3]}
	lowS := batch.LowSOption{}
	if c.LowS {
		lowS = batch.LowS()
	}
	return rows.VerifyAll(ctx, on, exact, lowS)
}

// compareBatches has a device verify hostile batches of n rows, by itself and for package batch.
func compareBatches(t *testing.T, d *device.Device, n int) {
	t.Helper()
	for _, b := range hostile.Batches(n) {
		c := b.Call()
		count := &counted{Engine: (*inner.Device)(d).Engine()}
		if err := count.Run(t.Context(), c); err != nil || c.Verdicts[0] != b.Want {
			t.Errorf("%s, %d rows: verdict %d, want %d, %v", b.What, n, c.Verdicts[0], b.Want, err)
		}
		if c.Hashed {
			continue // package batch has no such call
		}
		on := batch.On((*device.Device)(inner.New(count)))
		got, err := verifyAll(t.Context(), c, on, batch.ExactOption{})
		if err != nil || count.failed.Load() != 0 || count.rows.Load() != 2*int64(n) {
			t.Errorf("%s, %d rows: %v, failed %d times, asked about %d rows", b.What, n, err,
				count.failed.Load(), count.rows.Load())
		}
		want, err := verifyAll(t.Context(), c, batch.On(nil), batch.Exact())
		if got != want || err != nil {
			t.Errorf("%s, %d rows: %v, want %v, %v", b.What, n, got, want, err)
		}
	}
}

// TestEquations: by OpenCL, batches with good and hostile rows have the host's answers, in one
// piece and in many.
func TestEquations(t *testing.T) {
	failed := OnError(func(err error) { t.Error(err) })
	d := openCL(t, From(1), failed)
	compareBatches(t, d, 2)
	compareBatches(t, d, 150)
	if !testing.Short() {
		compareBatches(t, openCL(t, From(1), failed, MemoryLimit(1<<17)), 300)
	}
}
