// Package engine carries out the calls of package batch on a device: it packs their columns,
// cuts them into launches, and brings back what the device says. It sees bytes of public data
// alone, and has no arithmetic. Rows that hold secrets cannot come here: package batch, which
// makes the calls, has none, and the core's functions of secrets know no devices.
package engine

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

// Options say how an Engine works. The zero value is the default of each.
type Options struct {
	// Memory is the most bytes of the host, all of them pinned, and of the device, that launches
	// use.
	Memory int64
	// Crossover is the number of rows from which on a call pays. Below 1 it is measured
	// for each kind.
	Crossover int
	// Known is what Crossovers says of an Engine whose device is of the same model. It is taken
	// instead of being measured.
	Known map[device.Kind]int
	// Timeout is how long a launch may take before the device counts as lost.
	Timeout time.Duration
	// TableBits makes the device's table of G one for windows of so many bits, whatever the
	// device: for measurements and tests. 0 leaves the choice to the Engine.
	TableBits int
	// Hook is told every error of the device, by the goroutine of the call that met it.
	Hook func(error)
}

const (
	defaultTimeout = time.Minute

	// maxFaults is how many calls in succession fail before the device counts as lost.
	maxFaults = 3
)

// Errors that are in the tree of what Run, New and the hook get.
var (
	ErrKind    = errors.New("gpu: the device has no program for this kind of call and its rules")
	ErrClosed  = errors.New("gpu: the device is closed")
	ErrLost    = errors.New("gpu: the device is lost, and is not asked again")
	ErrTimeout = errors.New("gpu: a launch takes too long")
	ErrAnswer  = errors.New("gpu: the device gives wrong answers")
	ErrMemory  = errors.New("gpu: not enough memory for a launch")
)

// An Engine implements device.Engine.
type Engine struct {
	dev     driver.Device
	table   driver.Buffer
	bits    int // of the windows of table
	wave    int // rows that the device computes at a time, if a launch has as many
	rows    int // of a launch at most
	slots   int
	free    chan *slot
	spaces  chan *space // the only one, unless a call has it
	timeout time.Duration
	hook    func(error)

	keys      keySets
	crossover map[device.Kind]int // what is not there never pays
	times     Times
	ended     atomic.Uint64 // launches that were collected: Close sees by it that calls go on

	once   sync.Once  // for Close
	mu     sync.Mutex // for what follows
	reason error      // why it takes no calls: ErrClosed or ErrLost
	stop   chan struct{}
	faults int                     // in succession
	paces  map[device.Kind]float64 // of calls with one result: see pace
}

// New returns the Engine of a device, which it gives the kernels and the table of G. It returns
// an error if the device's answers to rows whose verdicts are known are wrong, or if there is no
// memory for the least launch. The device is the Engine's then, and is closed with it, also
// if New fails.
func New(ctx context.Context, dev driver.Device, table []byte, o Options) (*Engine, error) {
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
	e.setKeyMemory(o.Memory)
	err := timed(&e.times.Compile, func() error {
		if err := dev.Load(kernels.Rows()); err != nil {
			return err
		}
		return dev.Load(kernels.Sums())
	})
	if err == nil {
		err = e.allocate(o.Memory)
	}
	if err == nil {
		err = timed(&e.times.Table, func() error { return e.setTable(ctx, table, o) })
	}
	if err == nil {
		err = timed(&e.times.Answers, func() error { return e.answers(ctx) })
	}
	if err == nil {
		err = timed(&e.times.Crossover, func() error { return e.setCrossover(ctx, o.Crossover, o.Known) })
	}
	if err == nil {
		err = e.openSums(ctx, &o)
	}
	if err == nil {
		err = e.openEquations(ctx, &o)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Accepts reports whether the kernels have the rules of a call, and it has at least as many rows as
// its kind pays from.
func (e *Engine) Accepts(k device.Kind, r device.Rules, rows int) bool {
	least, ok := e.crossover[k]
	return ok && rows >= least && r&^kernels.Rules(k) == 0 && e.stopped() == nil
}

// Run carries out a call. It has one launch under way and prepares the next, if the call has
// more rows than a launch. When ctx ends, Run returns within the time of packing a launch, and
// what the device is at works on memory of the Engine alone.
func (e *Engine) Run(ctx context.Context, c *device.Call) error {
	s := sharedOf(c)
	if s == nil {
		return ErrKind
	}
	if c.Rows == 0 {
		return nil
	}
	return e.judge(ctx, e.alone(ctx, s))
}

// alone carries out a call without other Engines, and judges nothing.
func (e *Engine) alone(ctx context.Context, s shared) error {
	defer s.begin(ctx, []*Engine{e})()
	if _, err := s.by(ctx, e, 0); err != nil {
		return err
	}
	s.end()
	return nil
}

// judge returns what a call ends with whose device returned an error or nil, and notes that.
func (e *Engine) judge(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ErrTimeout) {
		return ctx.Err() // that is not the device's fault, unless it hung before
	}
	e.note(err)
	return err
}

// run is alone for a call whose rows have verdicts of their own.
func (e *Engine) run(ctx context.Context, c *device.Call, p *program) error {
	return e.alone(ctx, &rowCall{newWork(c.Rows), c, p})
}

// share carries out rows of w until none are left to take, and returns whether there were any.
// What it has taken and not done when it returns an error goes back to w.
func (e *Engine) share(ctx context.Context, c *device.Call, p *program, w *work) (bool, error) {
	if p.set {
		set, err := e.useKeys(ctx, c)
		if err != nil {
			return false, err
		}
		defer e.dropKeys(set)
		c, p = p.withKeys(c, set)
	}
	first, err := e.take(w.ctx)
	if err != nil {
		if w.ctx.Err() != nil && ctx.Err() == nil {
			err = nil // others have taken all rows
		}
		return false, err
	}
	slots := []*slot{first}
	defer func() {
		for _, s := range slots {
			w.giveBack(s.lo, s.n)
			s.n = 0
			e.hold(s, p.keys)
			e.put(s)
		}
	}()
	if w.left() > e.rows {
		select {
		case second := <-e.free:
			slots = append(slots, second)
		default: // others have them all
		}
	}
	did := false
	next := 0 // the slot of the next launch, and of those that are busy the oldest
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

// collect is that of a slot, if it is busy.
func (e *Engine) collect(ctx context.Context, s *slot, c *device.Call, p *program) error {
	if !s.busy {
		return nil
	}
	err := e.wait(ctx, func(ctx context.Context) error { return s.collect(ctx, c, p) })
	if err == nil {
		e.ended.Add(1)
	}
	return err
}

// wait runs a function that waits for the device, with the time that a launch may take.
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
