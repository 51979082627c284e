package verify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
)

// A hostEngine is a fake device that computes its verdicts with package batch. It can be made to
// fail or to return wrong verdicts.
type hostEngine struct {
	err  error
	lie  device.Verdict // verdict returned for every row, unless 0
	rows [device.RecoverAddress + 1]atomic.Int64
	most atomic.Int64 // largest number of rows in a call
}

func (e *hostEngine) Accepts(k device.Kind, r device.Rules, _ int) bool {
	return r&^device.LowS == 0 &&
		(k == device.ECDSA || k == device.Schnorr || k == device.RecoverAddress)
}

func (e *hostEngine) Run(ctx context.Context, c *device.Call) error {
	e.rows[c.Kind].Add(int64(c.Rows))
	e.most.Store(max(e.most.Load(), int64(c.Rows)))
	verdicts := make([]batch.Verdict, c.Rows)
	col := func(i, width int) batch.Column {
		return batch.Packed(c.Columns[i].Data[:c.Rows*width], width)
	}
	rule := batch.AnyS
	if c.Rules&device.LowS != 0 {
		rule = batch.LowS
	}
	var err error
	switch c.Kind {
	case device.ECDSA:
		r := batch.ECDSARows{Hashes: col(0, 32), Keys: batch.EncodedKeys(col(1, 33)),
			Signatures: col(2, 64), S: rule}
		if c.Columns[3].Data != nil {
			r.RecoveryIDs = col(3, 1)
		}
		_, err = r.Verify(ctx, verdicts, nil)
	case device.Schnorr:
		_, err = batch.SchnorrRows{Messages: col(0, 32), Keys: batch.EncodedKeys(col(1, 32)),
			Signatures: col(2, 64)}.Verify(ctx, verdicts, nil)
	case device.RecoverAddress:
		_, err = batch.RecoverRows{Hashes: col(0, 32), Signatures: col(1, 65), S: rule}.
			EthereumAddresses(ctx, c.Results, verdicts, nil)
	default:
		err = errors.New("another kind")
	}
	for i, v := range verdicts {
		if c.Verdicts[i] = v; e.lie != 0 {
			c.Verdicts[i] = e.lie
		}
	}
	return errors.Join(err, e.err)
}

// open returns e as a device. The failures and wrong verdicts start only after the device has
// passed its self-test.
func (e *hostEngine) open(t *testing.T) *device.Device {
	lie, err := e.lie, e.err
	e.lie, e.err = 0, nil
	d, wrong := device.New(e)
	if wrong != nil {
		t.Fatal(wrong)
	}
	e.lie, e.err = lie, err
	for i := range e.rows {
		e.rows[i].Store(0)
	}
	e.most.Store(0)
	return d
}

// TestDevice checks that the report is the same with a device that works, with one that fails, and
// with one that calls good rows bad. The device must get every row of a block, and no row that is
// verified singly.
func TestDevice(t *testing.T) {
	every, inBlocks := everyUnit(t)
	for i := range every {
		every[i].Where.Line = i + 1
	}
	cfg := Config{Workers: 2, MaxFailures: -1, Senders: true}
	run := func(cfg Config) (Counts, fullLog) {
		var l fullLog
		return Run(t.Context(), cfg, only(unitReader(every)), &l), l
	}
	totals, want := run(cfg)
	for name, e := range map[string]*hostEngine{
		"honest": {}, "failing": {err: errors.New("lost")}, "all bad": {lie: device.Invalid},
		"all malformed": {lie: device.Malformed}, "out of range": {lie: 77},
	} {
		cfg.Device, cfg.OneByOne = e.open(t), false
		got, log := run(cfg)
		if got != totals || !slices.Equal(log.lines, want.lines) || len(log.faults) > 0 {
			t.Errorf("%s: %+v, want %+v, faults %v\n%s", name, got, totals, log.faults,
				strings.Join(log.lines, "\n"))
		}
		asked := func() (n int64) {
			for _, kind := range []device.Kind{device.ECDSA, device.Schnorr, device.RecoverAddress} {
				if e.rows[kind].Load() == 0 {
					t.Errorf("%s: not asked about kind %d", name, kind)
				}
			}
			for i := range e.rows {
				n += e.rows[i].Load()
			}
			return n
		}
		if n := asked(); n != int64(inBlocks) {
			t.Errorf("%s: asked about %d rows, want %d", name, n, inBlocks)
		}
		cfg.OneByOne = true
		if got, log := run(cfg); got != totals || !slices.Equal(log.lines, want.lines) {
			t.Errorf("%s, one by one: another report", name)
		}
		if n := asked(); n != int64(inBlocks) {
			t.Errorf("%s: asked about rows that are verified alone", name)
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
		e := new(hostEngine)
		cfg := &Config{Workers: 1, Device: e.open(t)}
		batch := slices.Repeat(unitBatch{goodBIP340(t)}, test.units)
		work := make(chan *job, test.jobs)
		all := make([]*job, test.jobs)
		for i := range all {
			all[i] = &job{batch: batch, done: make(chan struct{})}
			work <- all[i]
		}
		close(work)
		newWorker(cfg, new(distrust)).work(t.Context(), work)
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
