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

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/internal/device"
)

// Options say how an Engine works. The zero value is the default of each.
type Options struct {
	// Memory is the most bytes of the host, and of the device, that launches use.
	Memory int64
	// Crossover is the number of rows from which on a call pays. Below 1 it is measured
	// for each kind.
	Crossover int
	// Timeout is how long a launch may take before the device counts as lost.
	Timeout time.Duration
	// Hook is told every error of the device, by the goroutine of the call that met it.
	Hook func(error)
}

const (
	defaultMemory  = 256 << 20
	defaultTimeout = time.Minute

	// maxSlots is how many launches are under way at most. A call has two of them, one of
	// which is filled while the other one runs, so two calls can work at the same time.
	maxSlots = 4
	// unitRows is how many rows a launch has for each unit of the device: several groups,
	// each of which has its turn while others wait for memory.
	unitRows = 1024
	// maxRows bounds a launch, and so how long it takes until a context ends a call.
	maxRows = 1 << 18
	// maxFaults is how many calls in succession fail before the device counts as lost.
	maxFaults = 3
)

// Errors that are in the tree of what Run, New and the hook get.
var (
	ErrKind    = errors.New("gpu: the device has no program for this kind of call")
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
	rows    int // of a launch at most
	slots   int
	free    chan *slot
	timeout time.Duration
	hook    func(error)

	crossover map[device.Kind]int // what is not there never pays
	ended     atomic.Uint64       // launches that were collected: Close sees by it that calls go on

	once   sync.Once  // for Close
	mu     sync.Mutex // for what follows
	reason error      // why it takes no calls: ErrClosed or ErrLost
	stop   chan struct{}
	faults int // in succession
}

// New returns the Engine of a device, which it gives the kernels and the table of G. It returns
// an error if the device's answers to rows whose verdicts are known are wrong, or if there is no
// memory for the least launch. The device is the Engine's then, and is closed with it, also
// if New fails.
func New(ctx context.Context, dev driver.Device, table []byte, o Options) (*Engine, error) {
	e := &Engine{dev: dev, timeout: o.Timeout, hook: o.Hook, stop: make(chan struct{}),
		free: make(chan *slot, maxSlots), crossover: map[device.Kind]int{}}
	if e.timeout <= 0 {
		e.timeout = defaultTimeout
	}
	if e.hook == nil {
		e.hook = func(error) {}
	}
	err := dev.Load(kernels.Rows())
	if err == nil {
		err = e.allocate(o.Memory)
	}
	if err == nil {
		err = e.writeTable(ctx, table)
	}
	if err == nil {
		err = e.answers(ctx)
	}
	if err == nil {
		err = e.setCrossover(ctx, o.Crossover)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// allocate makes slots, as large and as many as memory allows.
func (e *Engine) allocate(memory int64) error {
	if memory <= 0 {
		memory = defaultMemory
	}
	e.rows = unitRows
	for e.rows < unitRows*e.dev.Info().Units && e.rows < maxRows {
		e.rows *= 2
	}
	for e.rows > driver.Group && maxSlots*int64(e.rows*rowBytes()) > memory {
		e.rows /= 2
	}
	for ; e.rows >= driver.Group; e.rows /= 2 {
		for e.slots < maxSlots && int64(e.slots+1)*int64(e.rows*rowBytes()) <= memory {
			s, err := newSlot(e.dev, e.rows)
			if errors.Is(err, driver.ErrMemory) {
				break
			}
			if err != nil {
				return err
			}
			e.free <- s
			e.slots++
		}
		// With one slot alone the device would wait for the host.
		if e.slots >= 2 || e.slots == 1 && e.rows == driver.Group {
			return nil
		}
		for ; e.slots > 0; e.slots-- {
			(<-e.free).free()
		}
	}
	return fmt.Errorf("%w of %d rows", ErrMemory, driver.Group)
}

// writeTable brings the table of G to the device.
func (e *Engine) writeTable(ctx context.Context, table []byte) error {
	var err error
	if e.table, err = e.dev.Alloc(len(table)); err != nil {
		e.table = nil
		return err
	}
	s, err := e.take(ctx)
	if err != nil {
		return err
	}
	defer e.put(s)
	s.busy = true
	if err := s.queue.Write(e.table, 0, table); err != nil {
		return err
	}
	return e.wait(ctx, func(ctx context.Context) error {
		err := s.queue.Wait(ctx)
		s.busy = s.busy && err != nil
		return err
	})
}

// Pays reports whether a call has at least as many rows as its kind pays from.
func (e *Engine) Pays(k device.Kind, n int) bool {
	least, ok := e.crossover[k]
	return ok && n >= least && e.stopped() == nil
}

// Run carries out a call. It has one launch under way and prepares the next, if the call has
// more rows than a launch. When ctx ends, Run returns within the time of packing a launch, and
// what the device is at works on memory of the Engine alone.
func (e *Engine) Run(ctx context.Context, c *device.Call) error {
	p, ok := programOf(c.Kind)
	if !ok {
		return ErrKind
	}
	if c.N == 0 {
		return nil
	}
	err := e.run(ctx, c, &p)
	if ctx.Err() != nil && !errors.Is(err, ErrTimeout) {
		return ctx.Err() // that is not the device's fault, unless it hung before
	}
	e.note(err)
	return err
}

func (e *Engine) run(ctx context.Context, c *device.Call, p *program) error {
	first, err := e.take(ctx)
	if err != nil {
		return err
	}
	defer e.put(first)
	slots := []*slot{first}
	if c.N > e.rows {
		select {
		case second := <-e.free:
			defer e.put(second)
			slots = append(slots, second)
		default: // others have them all
		}
	}
	next := 0 // the slot of the next launch, and of those that are busy the oldest
	for lo := 0; lo < c.N; lo += e.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := slots[next]
		if err := e.collect(ctx, s, c, p); err != nil {
			return err
		}
		if err := s.submit(c, p, lo, min(lo+e.rows, c.N), e.table); err != nil {
			return err
		}
		next = (next + 1) % len(slots)
	}
	for range slots {
		if err := e.collect(ctx, slots[next], c, p); err != nil {
			return err
		}
		next = (next + 1) % len(slots)
	}
	return nil
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
