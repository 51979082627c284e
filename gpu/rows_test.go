package gpu

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/hostile"
	inner "github.com/koblitz-go/koblitz/internal/device"
)

// A counted is an engine that counts what it is asked, and what it settles.
type counted struct {
	inner.Engine
	rows, settled, failed atomic.Int64
}

func (c *counted) Run(ctx context.Context, call *inner.Call) error {
	err := c.Engine.Run(ctx, call)
	if err != nil {
		c.failed.Add(1)
	}
	c.rows.Add(int64(call.N))
	for _, v := range call.Verdicts {
		if v != inner.Unchecked {
			c.settled.Add(1)
		}
	}
	return err
}

// openCL opens the first device by OpenCL, which may be a CPU.
func openCL(t *testing.T, opts ...Option) *device.Device {
	t.Helper()
	d, err := Open(append(opts, Named("opencl:0"))...)
	if errors.Is(err, ErrNone) {
		t.Skip("no OpenCL device: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Close(d); err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
	return d
}

// run has package batch carry out a set, and returns verdicts and results.
func run(t *testing.T, set *hostile.Set, on batch.DeviceOption) ([]batch.Verdict, []byte) {
	t.Helper()
	c := set.Call()
	cols, verdicts := [4]batch.Column{}, make([]batch.Verdict, c.N)
	for i, col := range c.Cols {
		cols[i] = batch.Column(col)
	}
	lowS := batch.LowSOption{}
	if c.LowS {
		lowS = batch.LowS()
	}
	var err error
	var valid int
	ctx := t.Context()
	switch c.Kind {
	case inner.ECDSA:
		valid, err = batch.ECDSARows{Hashes: cols[0], Keys: cols[1], Signatures: cols[2],
			RecoveryIDs: cols[3]}.Verify(ctx, verdicts, on, lowS)
	case inner.Schnorr:
		valid, err = batch.SchnorrRows{Messages: cols[0], Keys: cols[1], Signatures: cols[2]}.
			Verify(ctx, verdicts, on)
	case inner.Recover:
		valid, err = batch.RecoverRows{Hashes: cols[0], Signatures: cols[1]}.
			Recover(ctx, c.Out, verdicts, on, lowS)
	case inner.Decompress:
		valid, err = batch.KeyRows{Keys: cols[0]}.Decompress(ctx, c.Out, verdicts, on)
	case inner.PublicKeys:
		valid, err = batch.ScalarRows{Scalars: cols[0]}.PublicKeysVartime(ctx, c.Out, verdicts, on)
	default:
		t.Fatalf("there is no function for kind %d", c.Kind)
	}
	if err != nil {
		t.Error(err)
	}
	good := 0
	for _, v := range verdicts {
		if v == batch.Valid {
			good++
		}
	}
	if good != valid {
		t.Errorf("%d rows are valid, and %d were counted", good, valid)
	}
	return verdicts, c.Out
}

// TestRows: by OpenCL, valid and hostile rows of all kinds have the host's verdicts and keys,
// from many goroutines at a time and in one launch and in many. The device itself has them, not
// only the host that does its rows again, and leaves none but those that meet exceptions.
func TestRows(t *testing.T) {
	size := 12
	if testing.Short() {
		size = 3
	}
	sets := hostile.Sets(size)
	for what, opts := range map[string][]Option{"one launch": nil, "many": {MemoryLimit(120000)}} {
		failed := func(err error) { t.Error(err) }
		d := openCL(t, append(opts, From(1), OnError(failed))...)
		e := (*inner.Device)(d).Engine()
		var all sync.WaitGroup
		for _, set := range sets {
			all.Go(func() {
				c := set.Call()
				if err := e.Run(t.Context(), c); err != nil {
					t.Error(err)
				}
				if err := set.Check(c); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			})
			if set.Hashed { // there is no function of batch for it
				continue
			}
			all.Go(func() {
				count := &counted{Engine: e}
				on := batch.On((*device.Device)(inner.New(count)))
				verdicts, out := run(t, &set, on)
				want, keys := run(t, &set, batch.DeviceOption{})
				if !slices.Equal(verdicts, want) || !bytes.Equal(out, keys) {
					t.Errorf("%s: kind %d, low s %v: not what the host says", what, set.Kind, set.LowS)
				}
				if count.failed.Load() > 0 || count.rows.Load() != int64(len(set.Rows)) ||
					count.settled.Load() < int64(len(set.Rows))/2 {
					t.Errorf("%s: kind %d: of %d rows the device was asked about %d, and settled %d",
						what, set.Kind, len(set.Rows), count.rows.Load(), count.settled.Load())
				}
			})
		}
		all.Wait()
	}
}

// TestClosed: after Close the CPU does the calls, and says nothing.
func TestClosed(t *testing.T) {
	d := openCL(t, From(1), OnError(func(err error) { t.Error(err) }))
	if !(*inner.Device)(d).Engine().Pays(inner.ECDSA, 1) {
		t.Error("the device is not asked")
	}
	if err := Close(d); err != nil {
		t.Error(err)
	}
	if err := Close(d); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	set := hostile.Sets(1)[0]
	verdicts, _ := run(t, &set, batch.On(d))
	want, _ := run(t, &set, batch.DeviceOption{})
	if !slices.Equal(verdicts, want) {
		t.Error("other verdicts")
	}
}

// TestMeasured: without From, Open finds out from how many rows on the device pays, if it does.
func TestMeasured(t *testing.T) {
	e := (*inner.Device)(openCL(t)).Engine()
	for k := range inner.Kind(20) {
		if e.Pays(k, 1) {
			t.Errorf("one row of kind %d pays", k)
		}
	}
}
