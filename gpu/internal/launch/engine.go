// Package launch carries out the calls of package batch on a device: it packs their columns,
// divides them into launches, and copies the device's answers back. It handles bytes of public data
// only, and does no arithmetic. Secrets cannot get here: package batch, which makes the calls,
// handles none, and the functions of the core that take secrets have no access to devices.
package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// Options configure an Engine. A field that is zero means its default.
type Options struct {
	// Memory limits both the host memory, which is pinned, and the device memory that launches use.
	// Each of the two may take this many bytes.
	Memory int64
	// Crossover is the least number of rows that a call must have to be accepted. If it is below 1,
	// New measures for each kind from how many rows on the device is faster than the host.
	Crossover int
	// Known holds the Crossovers of an Engine on a device of the same model. If it is set, New
	// takes these numbers instead of measuring.
	Known map[device.Kind]int
	// Timeout limits how long a launch may take before the device counts as lost.
	Timeout time.Duration
	// TableBits sets the window size in bits of the device's table of multiples of G. It is meant
	// for measurements and tests. If it is 0, the Engine chooses the size.
	TableBits int
	// Hook is called with every error of the device. The goroutine whose call failed calls it.
	Hook func(error)
}

const (
	defaultTimeout = time.Minute

	// maxFaults is the number of successive failed calls after which the device counts as lost.
	maxFaults = 3
)

// Errors that Run and New return and that Hook is called with. They may be wrapped.
var (
	ErrKind    = errors.New("gpu: the device has no program for this kind of call and its rules")
	ErrClosed  = errors.New("gpu: the device is closed")
	ErrLost    = errors.New("gpu: the device is lost, and is not asked again")
	ErrTimeout = errors.New("gpu: a launch takes too long")
	ErrAnswer  = errors.New("gpu: the device gives wrong answers")
	ErrMemory  = errors.New("gpu: not enough memory for a launch")
)

// An Engine carries out calls on one device. It implements device.Engine.
type Engine struct {
	dev     driver.Device
	table   driver.Buffer
	bits    int // window size of table in bits
	wave    int // number of rows that the device can compute at the same time
	rows    int // most rows of a launch
	slots   int
	free    chan *slot
	spaces  chan *space // a channel that holds the Engine's one space while no call uses it
	timeout time.Duration
	hook    func(error)

	keys keySets
	// crossover is, for each kind, the least number of rows with which a call takes less time on
	// the device than on the host. For kinds without an entry the host is always faster.
	crossover map[device.Kind]int
	ended     atomic.Uint64 // number of launches that have ended; Close sees progress by it

	once   sync.Once  // makes Close release the device only once
	mu     sync.Mutex // protects the fields below
	times  Times
	reason error // ErrClosed or ErrLost once the Engine refuses calls, else nil
	stop   chan struct{}
	faults int                     // number of successive failed calls
	paces  map[device.Kind]float64 // seconds per row, by kind with one result: see pace
}

// New returns an Engine for a device. It loads the table of multiples of G, and the programs that
// the known answers need. They need that for sums only if there is memory for a sum. New
// returns an error if the device gives wrong answers to rows with known verdicts, or if there is no
// memory for the shortest launch. The Engine owns the device, and closes it in Close. If New fails,
// it closes the device.
func New(ctx context.Context, dev driver.Device, table []byte, o Options) (*Engine, error) {
	e := newEngine(dev, o)
	err := timed(&e.times.Compile, func() error { return dev.Load(kernels.Rows()) })
	if err == nil {
		err = e.allocate(o.Memory)
	}
	if err == nil {
		err = timed(&e.times.Table, func() error { return e.setTable(ctx, table, o) })
	}
	var kinds []device.Kind
	if err == nil {
		before := e.times.Compile
		err = timed(&e.times.Answers, func() (err error) { kinds, err = e.answers(ctx); return err })
		e.times.Answers -= e.times.Compile - before // the first sum has loaded a program
	}
	if err == nil {
		err = timed(&e.times.Crossover, func() error { return e.setCrossover(ctx, kinds, &o) })
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// newEngine returns an Engine that has no slots yet.
func newEngine(dev driver.Device, o Options) *Engine {
	e := &Engine{dev: dev, timeout: o.Timeout, hook: o.Hook, stop: make(chan struct{}),
		free: make(chan *slot, maxSlots), crossover: map[device.Kind]int{},
		spaces: make(chan *space, 1), paces: map[device.Kind]float64{}}
	if e.timeout <= 0 {
		e.timeout = defaultTimeout
	}
	if e.hook == nil {
		e.hook = func(error) {}
	}
	e.spaces <- newSpace(o.Memory)
	e.keys.lock, e.keys.memory = make(chan struct{}, 1), memoryLimit(o.Memory)/keyShare
	return e
}

// Accepts reports whether the kernels implement the kind and the rules of a call, and the call has
// enough rows for the device to be faster than the host.
func (e *Engine) Accepts(k device.Kind, r device.Rules, rows int) bool {
	least, ok := e.crossover[k]
	return ok && rows >= least && r&^kernels.Rules(k) == 0 && e.stopped() == nil
}

// Run carries out a call. If the call has more rows than a launch, Run prepares the next launch
// while one runs. When ctx ends, Run returns within the time of packing one launch. The device may
// still be running then, but it uses only the Engine's memory.
func (e *Engine) Run(ctx context.Context, c *device.Call) error {
	ctx = Remember(ctx)
	err := e.do(ctx, c)
	if errors.Is(err, ErrKind) {
		return err
	}
	return e.judge(ctx, err)
}

// do carries out a call. It does not record a failure: judge does.
func (e *Engine) do(ctx context.Context, c *device.Call) error {
	w := newWork(c)
	if w == nil {
		return ErrKind
	}
	if c.Rows == 0 {
		return nil
	}
	defer w.begin(ctx, []*Engine{e})()
	if _, err := w.by(ctx, e, 0); err != nil {
		return err
	}
	w.finish()
	return nil
}

// judge returns the error to report for a call that ended with err. It records the error as a fault
// of the device, unless the call ended because ctx ended.
func (e *Engine) judge(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ErrTimeout) {
		return ctx.Err() // not a fault of the device, unless it hung before
	}
	e.note(err)
	return err
}

// share takes rows of w and carries them out until no rows are left. It reports whether it carried
// out any. If it returns an error, the rows that it took and did not finish go back to w.
func (e *Engine) share(ctx context.Context, w *work) (did bool, err error) {
	c, p := w.call, w.program
	if p.set {
		set, err := e.useKeys(ctx, c)
		if err != nil {
			return false, err
		}
		defer e.dropKeys(set)
		c, p = p.withKeys(c, set)
	}
	slots, err := e.takeSlots(w.ctx, w.left() > e.rows)
	if err != nil {
		if w.ctx.Err() != nil && ctx.Err() == nil {
			err = nil // other Engines have taken all rows
		}
		return false, err
	}
	defer func() {
		for _, s := range slots {
			w.giveBack(span{s.lo, s.n})
			s.n = 0
			e.hold(s, p.keys)
			e.put(s)
		}
	}()
	next := 0 // slot of the next launch; if that is busy, it has the oldest launch
	for ; ; next = (next + 1) % len(slots) {
		if err := ctx.Err(); err != nil {
			return did, err
		}
		s := slots[next]
		if err := e.collect(ctx, s, c, p); err != nil {
			return did, err
		}
		if s.lo, s.n = w.take(e.wave, e.rows); s.n == 0 {
			break
		}
		did = true
		if err := s.submit(c, p, e.table); err != nil {
			return did, err
		}
	}
	for range slots {
		if err := e.collect(ctx, slots[next], c, p); err != nil {
			return did, err
		}
		next = (next + 1) % len(slots)
	}
	return did, nil
}

// collect waits for the launch of a slot, if there is one, and takes its results.
func (e *Engine) collect(ctx context.Context, s *slot, c *device.Call, p *program) error {
	if err := e.settle(ctx, s); err != nil || s.n == 0 {
		return err
	}
	return s.collect(c, p)
}

// settle waits until the device is done with a slot.
func (e *Engine) settle(ctx context.Context, s *slot) error {
	if !s.busy {
		return nil
	}
	err := e.wait(ctx, s.queue.Wait)
	if err == nil {
		s.busy = false
		e.ended.Add(1)
	}
	return err
}

// wait calls f, which waits for the device, and limits it to the time that a launch may take.
func (e *Engine) wait(ctx context.Context, f func(context.Context) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, e.timeout, ErrTimeout)
	defer cancel()
	err := f(limited)
	if errors.Is(err, context.DeadlineExceeded) && context.Cause(limited) == ErrTimeout {
		err = fmt.Errorf("%w: more than %v", ErrTimeout, e.timeout)
		e.lose(err)
	}
	return err
}

// Times are the durations of the steps of New.
type Times struct {
	Compile   time.Duration // loading the programs, which the driver compiles or has in its cache
	Table     time.Duration // making or copying the table of G
	Answers   time.Duration // running rows with known verdicts, and each kernel's first launch
	Crossover time.Duration // measuring the least numbers of rows for which the device is faster
}

// Times returns the durations of the steps of New.
func (e *Engine) Times() Times {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.times
}

// timed calls f, and adds the time that it takes to d.
func timed(d *time.Duration, f func() error) error {
	begin := time.Now()
	err := f()
	*d += time.Since(begin)
	return err
}
