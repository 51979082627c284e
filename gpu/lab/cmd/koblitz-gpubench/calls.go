package main

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A kind is an operation that is a call of package batch or msm.
type kind struct {
	name string
	kind device.Kind
	one  bool // one verdict for all rows
}

// kinds returns the calls to measure.
func kinds() []kind {
	return []kind{
		{"ECDSA verify", device.ECDSA, false},
		{"BIP-340 verify", device.Schnorr, false},
		{"recover key", device.Recover, false},
		{"recover address", device.RecoverAddress, false},
		{"decompress key", device.Decompress, false},
		{"public key", device.PublicKeys, false},
		{"BIP-340, one equation", device.AllSchnorr, true},
		{"ECDSA, one equation", device.AllECDSA, true},
		{"sum of products", device.Sum, true},
	}
}

// mostSigned is the greatest number of different signed rows, a multiple of badEach. Longer calls
// repeat them. In calls with a verdict for each row, the first column of one in badEach rows is
// changed, which makes signatures invalid. These rows are rare, because the CPU verifies them
// again.
const mostSigned, badEach = 1 << 14, 4096

// sign makes the signed rows.
func (in *inputs) sign(ctx context.Context) (err error) {
	in.signed, err = launch.NewSample(ctx, min(in.n, mostSigned))
	return err
}

// A workload is a call with the CPU's answer.
type workload struct {
	call     *device.Call
	verdicts []device.Verdict // of the rows before they repeat, or the one of the whole call
	results  []byte           // of the same rows or call
}

// workload returns a call of a kind on n rows, which repeat the signed ones.
func (in *inputs) workload(ctx context.Context, k *kind, n int) (*workload, error) {
	period := min(in.n, mostSigned)
	each := min(badEach, period)
	call := func(n int) *device.Call {
		c := in.signed.Call(k.kind, n)
		for i := each / 3; i < n && !k.one; i += each {
			c.Columns[0].Data[i*c.Columns[0].Stride] ^= 1
		}
		return c
	}
	w := &workload{call: call(n)}
	want := w.call
	switch {
	case k.kind == device.AllSchnorr || k.kind == device.AllECDSA:
		w.verdicts = []device.Verdict{device.Valid}
		return w, ctx.Err()
	case !k.one:
		want = call(min(n, period))
	}
	err := cpu.Do(ctx, want, nil)
	w.verdicts, w.results = want.Verdicts, want.Results
	return w, err
}

// fresh returns the call without an answer.
func (w *workload) fresh() *device.Call {
	c := *w.call
	c.Verdicts = make([]device.Verdict, len(c.Verdicts))
	c.Results = make([]byte, len(c.Results))
	return &c
}

// verify compares the answer of a call with the CPU's. A row that the device left to the CPU is an
// error too, since none meets an exception of the formulas.
func (w *workload) verify(c *device.Call) error {
	for i, v := range c.Verdicts {
		if want := w.verdicts[i%len(w.verdicts)]; v != want {
			return fmt.Errorf("%w: verdict %d of row %d of %d, want %d", errResult, v, i, c.Rows, want)
		}
	}
	for at := 0; at < len(c.Results); at += len(w.results) {
		part := c.Results[at:min(at+len(w.results), len(c.Results))]
		if !bytes.Equal(part, w.results[:len(part)]) {
			return fmt.Errorf("%w: a result of %d rows", errResult, c.Rows)
		}
	}
	return nil
}

// A counted is an engine that counts the rows of its calls.
type counted struct {
	device.Engine
	rows atomic.Int64
}

// Run implements device.Engine.
func (e *counted) Run(ctx context.Context, c *device.Call) error {
	err := e.Engine.Run(ctx, c)
	if err == nil {
		e.rows.Add(int64(c.Rows))
	}
	return err
}

// calls measures the calls of the given kinds.
func (b *bench) calls(ctx context.Context, list []kind) error {
	b.begin("signing rows")
	if err := b.in.sign(ctx); err != nil {
		return err
	}
	b.begin("opening the device for calls")
	dev, err := b.open()
	if err != nil {
		return err
	}
	engine, err := launch.New(ctx, dev, kernels.Comb(), launch.Options{Crossover: 1})
	if err != nil {
		return err
	}
	defer engine.Close()
	e := &counted{Engine: engine}
	d, err := device.New(e)
	if err != nil {
		return fmt.Errorf("%w: %w", errResult, err)
	}
	t := engine.Times()
	b.print(func() string {
		b.report.Open = t
		return fmt.Sprintf("# opened: compiler %.2f s, table of G %.2f s, known answers %.2f s\n",
			t.Compile.Seconds(), t.Table.Seconds(), t.Answers.Seconds())
	})
	for _, k := range list {
		err := b.operation(ctx, k.name, func(limit time.Duration) (Operation, error) {
			return b.call(ctx, &k, e, d, limit)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// call measures calls of a kind. It begins with few rows, and takes four times as many as long as
// there is time for them.
func (b *bench) call(
	ctx context.Context, k *kind, e *counted, d *device.Device, limit time.Duration,
) (o Operation, err error) {
	var w *workload
	run := func() (time.Duration, error) {
		// Package batch corrects wrong answers of a device. So the first call is without it.
		c := w.fresh()
		err := e.Run(ctx, c)
		if err == nil {
			err = w.verify(c)
		}
		if err != nil {
			return 0, err
		}
		e.rows.Store(0)
		c = w.fresh()
		began := time.Now()
		err = cpu.Do(ctx, c, &batch.Options{Device: d})
		took := time.Since(began)
		if rows := e.rows.Load(); err == nil && rows != int64(c.Rows) {
			err = fmt.Errorf("%w: the device decided %d of %d rows", errResult, rows, c.Rows)
		}
		if err == nil {
			err = w.verify(c)
		}
		return took, err
	}
	for n := min(256, b.rows); ; n = min(4*n, b.rows) {
		if w, err = b.in.workload(ctx, k, n); err != nil {
			return o, err
		}
		t, err := run() // the first run of a size is not timed
		if err != nil {
			return o, err
		}
		if n == b.rows || t > limit/32 {
			break
		}
	}
	times, err := repeat(ctx, limit/2, run)
	return Operation{Size: w.call.Rows, Count: float64(w.call.Rows), Time: times}, err
}
