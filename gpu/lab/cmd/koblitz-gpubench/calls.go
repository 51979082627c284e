package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A record holds the fields of a signed row, one after the other. The keys are not secret: they are
// the scalars of the inputs.
const recordSize = 258

// A field is a part of a record.
type field struct{ offset, width int }

var (
	fieldScalar      = field{0, 32}
	fieldHash        = field{32, 32}
	fieldSpoiled     = field{64, 32} // the hash, or in one of badEach rows another one
	fieldKey         = field{96, 33}
	fieldXOnly       = field{97, 32}
	fieldECDSA       = field{129, 64}
	fieldRecoverable = field{129, 65}
	fieldID          = field{193, 1}
	fieldBIP340      = field{194, 64}
)

// A kind is an operation that is a call of package batch or msm. The fields are its columns.
type kind struct {
	name   string
	kind   device.Kind
	one    bool // one verdict for all rows
	fields []field
}

// kinds returns the calls to measure.
func kinds() []kind {
	return []kind{
		{"ECDSA verify", device.ECDSA, false, []field{fieldSpoiled, fieldKey, fieldECDSA}},
		{"BIP-340 verify", device.Schnorr, false, []field{fieldSpoiled, fieldXOnly, fieldBIP340}},
		{"recover key", device.Recover, false, []field{fieldSpoiled, fieldRecoverable}},
		{"recover address", device.RecoverAddress, false, []field{fieldSpoiled, fieldRecoverable}},
		{"decompress key", device.Decompress, false, []field{fieldKey}},
		{"public key", device.PublicKeys, false, []field{fieldScalar}},
		{"BIP-340, one equation", device.AllSchnorr, true,
			[]field{fieldHash, fieldXOnly, fieldBIP340}},
		{"ECDSA, one equation", device.AllECDSA, true,
			[]field{fieldHash, fieldKey, fieldECDSA, fieldID}},
		{"sum of products", device.Sum, true, nil},
	}
}

// mostSigned is the greatest number of different signed rows. Longer calls repeat them. One in
// badEach rows is invalid: they are rare, because the CPU verifies them again.
const mostSigned, badEach = 1 << 16, 4096

// sign makes the records.
func (in *inputs) sign(ctx context.Context) error {
	n := min(in.n, mostSigned)
	in.records = make([]byte, recordSize*n)
	failures := make([]error, n)
	err := parallel(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			failures[i] = in.signRow(i)
		}
	})
	return errors.Join(append(failures, err)...)
}

// signRow makes record i.
func (in *inputs) signRow(i int) error {
	scalar, hash := in.k[i].Bytes(), in.b[i][:]
	key, err := koblitz.ParsePrivateKey(scalar)
	if err != nil {
		return err
	}
	recoverable, err := ecdsa.SignRecoverable(key, hash, &ecdsa.SignOptions{Unchecked: true})
	if err != nil {
		return err
	}
	bip340, err := schnorr.Sign(key, hash, &schnorr.SignOptions{Unchecked: true})
	if err != nil {
		return err
	}
	record := in.records[recordSize*i:][:recordSize]
	copy(record, slices.Concat(scalar, hash, hash, key.PublicKey().Bytes(), recoverable, bip340))
	if i%badEach == min(badEach, in.n)/3 {
		record[fieldSpoiled.offset] ^= 1
	}
	return nil
}

// A workload is a call on n rows with the CPU's answer.
type workload struct {
	*kind
	n        int
	columns  [4]device.Column
	verdicts []device.Verdict // of the rows before they repeat, or the one of the whole call
	results  []byte           // of the same rows or call, or nil
}

// call returns a call on the first n rows, without an answer.
func (w *workload) call(n int) *device.Call {
	c := &device.Call{Kind: w.kind.kind, Rows: n, Columns: w.columns,
		Verdicts: make([]device.Verdict, n), Results: make([]byte, n*w.kind.kind.ResultSize())}
	if w.one {
		c.Verdicts = c.Verdicts[:1]
	}
	if w.kind.kind == device.Sum {
		c.Results = make([]byte, device.PointSize)
	}
	return c
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

// workload returns a call of a kind on n rows, which repeat the records.
func (in *inputs) workload(ctx context.Context, k *kind, n int) (w *workload, err error) {
	w = &workload{kind: k, n: n, verdicts: []device.Verdict{device.Valid}}
	if k.kind == device.Sum {
		return w, w.sum(ctx, in)
	}
	period := min(n, len(in.records)/recordSize)
	for i, f := range k.fields {
		var data []byte
		for r := range period {
			data = append(data, in.records[recordSize*r+f.offset:][:f.width]...)
		}
		data = bytes.Repeat(data, (n+period-1)/period)[:n*f.width]
		w.columns[i] = device.Column{Data: data, Stride: f.width}
	}
	if w.one {
		return w, nil
	}
	c := w.call(period)
	err = cpu.Do(ctx, c, nil)
	w.verdicts, w.results = c.Verdicts, c.Results
	return w, err
}

// sum makes w the sum of the products of the inputs' scalars and points p. The points' logarithms
// tell the result.
func (w *workload) sum(ctx context.Context, in *inputs) error {
	scalars, points := make([]byte, 32*w.n), make([]byte, 64*w.n)
	var mu sync.Mutex
	total := new(group.Scalar)
	err := parallel(ctx, w.n, func(lo, hi int) {
		part := new(group.Scalar)
		for i := lo; i < hi; i++ {
			copy(scalars[32*i:], in.k[i].Bytes())
			copy(points[64*i:], in.p.points[i][:])
			part.Add(part, new(group.Scalar).Mul(in.k[i], in.p.log(i)))
		}
		mu.Lock()
		defer mu.Unlock()
		total.Add(total, part)
	})
	sum := kernels.Coordinates(new(group.Point).ScalarBaseMultVartime(total))
	w.results = sum[:]
	w.columns = [4]device.Column{{Data: scalars, Stride: 32}, {Data: points, Stride: 64}}
	return err
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
		c := w.call(w.n)
		err := e.Run(ctx, c)
		if err == nil {
			err = w.verify(c)
		}
		if err != nil {
			return 0, err
		}
		e.rows.Store(0)
		c = w.call(w.n)
		began := time.Now()
		err = cpu.Do(ctx, c, &batch.Options{Device: d})
		took := time.Since(began)
		if rows := e.rows.Load(); err == nil && rows != int64(w.n) {
			err = fmt.Errorf("%w: the device decided %d of %d rows", errResult, rows, w.n)
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
	return Operation{Size: w.n, Count: float64(w.n), Time: times}, err
}
