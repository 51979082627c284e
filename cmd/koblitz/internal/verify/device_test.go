package verify

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// A countingEngine is a fake device that counts the rows it gets, and leaves them to the CPU.
type countingEngine struct {
	rows [device.RecoverAddress + 1]atomic.Int64
	most atomic.Int64 // largest number of rows in a call
}

func (e *countingEngine) Accepts(k device.Kind, r device.Rules, _ int) bool {
	return r&^device.LowS == 0 &&
		(k == device.ECDSA || k == device.Schnorr || k == device.RecoverAddress)
}

func (e *countingEngine) Run(_ context.Context, c *device.Call) error {
	e.rows[c.Kind].Add(int64(c.Rows))
	e.most.Store(max(e.most.Load(), int64(c.Rows)))
	return nil
}

// open returns e as a device. Its self-test does not count.
func (e *countingEngine) open(t *testing.T) *device.Device {
	d := must(device.New(e))
	for i := range e.rows {
		e.rows[i].Store(0)
	}
	e.most.Store(0)
	return d
}

// TestDevice checks that the report is the same with a device, and that the device gets every row
// of a block, and no row that is verified singly. Package batch tests devices that fail or lie.
func TestDevice(t *testing.T) {
	every, inBlocks := everyUnit()
	for i := range every {
		every[i].Where.Line = i + 1
	}
	e := new(countingEngine)
	cfg := Config{Workers: 2, Keep: keepAll}
	var want fullLog
	totals := Run(t.Context(), cfg, only(unitReader(every)), &want)
	cfg.Device = e.open(t)
	for _, cfg.OneByOne = range []bool{false, true} {
		var log fullLog
		got := Run(t.Context(), cfg, only(unitReader(every)), &log)
		if got != totals || !slices.Equal(log.lines, want.lines) || len(log.faults) > 0 {
			t.Errorf("%+v, want %+v, faults %v\n%v", got, totals, log.faults, log.lines)
		}
		asked := int64(0)
		for kind := range e.rows {
			asked += e.rows[kind].Load()
		}
		if asked != int64(inBlocks) || e.rows[device.ECDSA].Load() == 0 ||
			e.rows[device.Schnorr].Load() == 0 || e.rows[device.RecoverAddress].Load() == 0 {
			t.Errorf("one by one: %t: asked about %d rows, want %d", cfg.OneByOne, asked, inBlocks)
		}
	}
}

// TestDeviceBlocks checks that a worker collects more batches for a block of rows if there is a
// device, but never more rows than a block may have. The block sizes must not change without a
// device, or with one if OneByOne is set.
func TestDeviceBlocks(t *testing.T) {
	for _, test := range []struct{ units, jobs, most int }{
		{10, 2 * blockJobs, 10 * blockJobs}, // the block ends at the maximum number of batches
		{1500, blockJobs, 1500 * (deviceRows/1500 + 1)},
		{2*deviceRows + 100, 2, 2 * deviceRows},
	} {
		e := new(countingEngine)
		cfg := &Config{Workers: 1, Device: e.open(t)}
		batch := slices.Repeat(unitBatch{goodBIP340()}, test.units)
		work := make(chan *job, test.jobs)
		all := make([]*job, test.jobs)
		for i := range all {
			all[i] = &job{batch: batch, done: make(chan struct{})}
			work <- all[i]
		}
		close(work)
		newWorker(cfg, new(atomic.Bool)).work(t.Context(), work)
		for _, j := range all {
			if <-j.done; j.counts.Valid != int64(test.units) {
				t.Errorf("%d rows a batch: %+v", test.units, j.counts)
			}
		}
		if got := e.most.Load(); got != int64(test.most) {
			t.Errorf("%d rows a batch: calls of %d rows, want %d", test.units, got, test.most)
		}
	}
}
