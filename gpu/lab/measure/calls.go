package measure

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A kindRow describes the row of the report for one kind of calls.
type kindRow struct {
	id, title string
	kind      device.Kind
}

// kindRows returns the kinds of calls that the section Calls measures.
func kindRows() []kindRow {
	return []kindRow{
		{"ecdsa", "ECDSA, compressed keys", device.ECDSA},
		{"bip340", "BIP-340, each", device.Schnorr},
		{"recover", "recover keys", device.Recover},
		{"addresses", "recover Ethereum addresses", device.RecoverAddress},
		{"decompress", "decompress keys", device.Decompress},
		{"pubkeys", "k·G to keys of 65 bytes", device.PublicKeys},
		{"bip340-all", "BIP-340, one equation", device.AllSchnorr},
		{"ecdsa-all", "ECDSA with recovery ids, one equation", device.AllECDSA},
		{"sum", "sum of products", device.Sum},
	}
}

// A wrongVerdict is the error for a wrong verdict. It wraps ErrResult.
type wrongVerdict struct {
	row       int
	got, want device.Verdict
}

func (e *wrongVerdict) Error() string {
	return fmt.Sprintf("%v: verdict %d of row %d, which has %d", ErrResult, e.got, e.row, e.want)
}

func (e *wrongVerdict) Unwrap() error { return ErrResult }

// start opens an engine on a device.
func start(ctx context.Context, dev driver.Device, o launch.Options) (*launch.Engine, error) {
	return launch.New(ctx, dev, kernels.Comb(), o)
}

// A counted wraps an engine and counts the rows of its calls.
type counted struct {
	device.Engine
	rows atomic.Int64
}

func (c *counted) Run(ctx context.Context, call *device.Call) error {
	err := c.Engine.Run(ctx, call)
	if err == nil {
		c.rows.Add(int64(call.Rows))
	}
	return err
}

// endToEnd carries out the call on the first n rows of w with package batch or msm, and compares
// the verdicts and results with the expected ones. The call runs on d, or on the CPU if d is nil.
func (w *workload) endToEnd(ctx context.Context, n int, d *device.Device) error {
	c := w.call(n)
	var err error
	if d == nil {
		err = onHost(ctx, c)
	} else {
		err = cpu.Do(ctx, c, &batch.Options{Device: d})
	}
	if err != nil {
		return err
	}
	return w.verify(c.Verdicts, c.Results)
}

// A kept is a device that several users share. It loads each program once, and Close does not close
// it.
type kept struct {
	driver.Timed
	mu     sync.Mutex
	loaded map[string]bool // by the program's name
}

// Load implements driver.Device.
func (k *kept) Load(p *driver.Program) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.loaded[p.Name] {
		return nil
	}
	err := k.Timed.Load(p)
	if err == nil {
		if k.loaded == nil {
			k.loaded = make(map[string]bool)
		}
		k.loaded[p.Name] = true
	}
	return err
}

// Close implements driver.Device.
func (*kept) Close() error { return nil }

// engines are two engines on one device. One times each launch; the other does not, as in ordinary
// programs.
type engines struct {
	watch  *stopwatch
	timed  device.Engine
	plain  *counted
	device *device.Device // a Device with plain as its engine
	failed error          // last error of the device
}

// openEngines starts the two engines. closeAll closes both, but not the device.
func (b *bench) openEngines(ctx context.Context) (e *engines, closeAll func() error, err error) {
	e = &engines{watch: &stopwatch{Timed: b.dev}}
	o := launch.Options{Crossover: 1, Hook: func(err error) { e.failed = err }}
	watched, err := start(ctx, e.watch, o)
	if err != nil {
		return nil, nil, err
	}
	e.timed = watched
	plain, err := start(ctx, b.dev, o)
	if err != nil {
		return nil, nil, errors.Join(err, watched.Close())
	}
	e.plain = &counted{Engine: plain}
	closeAll = func() error { return errors.Join(watched.Close(), plain.Close()) }
	if e.device, err = device.New(e.plain); err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	return e, closeAll, nil
}

// calls measures the section Calls of the report.
func (b *bench) calls(ctx context.Context) (err error) {
	var kinds []kindRow
	for _, k := range kindRows() {
		if b.o.wants(Calls, k.id) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	if err := b.sign(ctx); err != nil {
		return err
	}
	e, closeAll, err := b.openEngines(ctx)
	if errors.Is(err, driver.ErrMemory) || errors.Is(err, launch.ErrMemory) {
		for _, k := range kinds {
			b.rows -= len(b.o.Sizes)
			b.leave(k.id, 0, "%v", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	for _, k := range kinds {
		if err := b.kind(ctx, &k, b.signed, e); err != nil {
			return err
		}
	}
	return nil
}

// sign makes the signed rows, unless they exist.
func (b *bench) sign(ctx context.Context) (err error) {
	if b.signed == nil {
		b.signed, err = newSigned(ctx, b.in, min(b.in.n, mostSigned))
	}
	return err
}

// kind measures the calls of a kind for all sizes.
func (b *bench) kind(ctx context.Context, k *kindRow, s *signed, e *engines) error {
	var w *workload
	var host Spread // the CPU's times for one row
	after := b.rows - len(b.o.Sizes)
	err := b.sizes(k.id, b.o.Sizes, func(n int) (row Row, err error) {
		if w == nil || k.kind == device.Sum { // the result of a sum depends on its number of rows
			rows := b.in.n
			if k.kind == device.Sum {
				rows = n
			}
			if w, err = s.workload(ctx, b.in, k.kind, rows); err != nil {
				return row, err
			}
		}
		if row, err = b.call(ctx, k, w, n, e); err != nil {
			return row, err
		}
		// The host's time for a sum is measured at each size, as the time per term falls with the
		// number of terms.
		if host.Runs == 0 || k.kind == device.Sum {
			if host, err = b.host(ctx, w); err != nil {
				return row, err
			}
		}
		row.Host = host.times(float64(n))
		return row, nil
	})
	if errors.Is(err, launch.ErrKind) {
		b.rows = after
		b.leave(k.id, 0, "the device has no program for calls of this kind")
		return nil
	}
	return err
}

// call measures a call of n rows. The time of the kernel is measured in calls that fit into one
// launch, because overlapping launches share the device.
func (b *bench) call(
	ctx context.Context, k *kindRow, w *workload, n int, e *engines,
) (row Row, err error) {
	row = Row{Section: Calls, ID: k.id, Title: k.title, Size: n, Count: float64(n), Unit: "op"}
	chunk := n
	run := func() (time.Duration, error) {
		e.watch.take()
		c := w.call(chunk)
		if err := e.timed.Run(ctx, c); err != nil {
			return 0, err
		}
		sum := time.Duration(0)
		log := e.watch.take()
		for _, l := range log {
			sum += l.time
		}
		if !w.single() && len(log) > 1 && chunk == n {
			chunk = log[0].n
		}
		return sum, w.verify(c.Verdicts, c.Results)
	}
	if _, err := run(); err != nil { // the first run is not timed
		return row, err
	}
	if row.Kernel, err = b.repeat(ctx, run); err != nil {
		return row, err
	}
	if chunk < n {
		row.Note = fmt.Sprintf("kernel: launches of %d rows", chunk)
		row.Kernel = row.Kernel.times(float64(n) / float64(chunk))
	}
	e.plain.rows.Store(0)
	runs := 0
	row.EndToEnd, err = b.repeat(ctx, clock(func() error {
		runs++
		return w.endToEnd(ctx, n, e.device)
	}))
	if err == nil && e.plain.rows.Load() != int64(runs)*int64(n) {
		err = errors.Join(fmt.Errorf("%w: not all rows were decided by the device", ErrResult), e.failed)
	}
	return row, err
}

// times returns a Spread with all times multiplied by factor.
func (s Spread) times(factor float64) Spread {
	return Spread{s.Median * factor, s.Low * factor, s.High * factor, s.Runs}
}

// host returns the CPU's times per row in a long call. For a sum, they are the times per term in a
// sum of as many terms as w has.
func (b *bench) host(ctx context.Context, w *workload) (Spread, error) {
	rows := min(w.n, 1<<14)
	if w.kind == device.Sum {
		rows = w.n
	}
	s, err := b.repeat(ctx, clock(func() error { return w.endToEnd(ctx, rows, nil) }))
	return s.times(1 / float64(rows)), err
}

// opening measures the time from opening the device to the first verdict. It does so twice: the
// first time the driver may have to compile the kernels, and the second time it may find them in
// its cache. The second time it also measures the crossovers, the least numbers of rows for which
// the device is faster than the CPU. It calls closeDevice in between, and leaves the device open
// for the other sections. A slow first time is the last one: without a cache, the second would take
// as long.
func (b *bench) opening(
	ctx context.Context, open func() (driver.Device, error), closeDevice func() error,
) error {
	if !b.o.wants(Opening, Opening) {
		return nil
	}
	const rows = 1024
	in := newInputs(b.o.Seed, rows)
	s, err := newSigned(ctx, in, rows)
	if err != nil {
		return err
	}
	w, err := s.workload(ctx, in, device.ECDSA, rows)
	if err != nil {
		return err
	}
	begin := time.Now()
	f, err := b.first(ctx, w, open, launch.Options{Crossover: 1})
	if err != nil {
		return err
	}
	b.record(func(r *Report) { r.Openings = append(r.Openings, f) })
	took, left := time.Since(begin), time.Until(b.until)
	if !b.until.IsZero() && b.rows > 0 && took > left/2 {
		b.leave(Opening, 0, "a second time may take %v, and %v are left", took.Round(time.Second),
			left.Round(time.Second))
		return nil
	}
	if err := closeDevice(); err != nil {
		return err
	}
	f, err = b.first(ctx, w, open, launch.Options{})
	if err != nil {
		return err
	}
	b.record(func(r *Report) { r.Openings = append(r.Openings, f) })
	return nil
}

// first opens the device, carries out a call on it, and returns how long each step took.
func (b *bench) first(
	ctx context.Context, w *workload, open func() (driver.Device, error), o launch.Options,
) (f First, err error) {
	f.Rows = w.n
	begin := time.Now()
	lap := func() time.Duration {
		t := time.Since(begin)
		begin = time.Now()
		return t
	}
	dev, err := open()
	if err != nil {
		return f, err
	}
	f.Driver = lap()
	e, err := start(ctx, dev, o)
	if err != nil {
		return f, err
	}
	t := e.Times()
	f.Compile, f.Table, f.Answers, f.Crossover = t.Compile, t.Table, t.Answers, t.Crossover
	lap()
	d, err := device.New(e)
	f.Answers += lap()
	if err == nil {
		err = w.endToEnd(ctx, w.n, d)
		f.Call = lap()
	}
	return f, errors.Join(err, e.Close())
}
