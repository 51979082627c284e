package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// Calls with one verdict and one result: their rows become terms of a sum, which stay in the
// device's memory until all are there, and are added up then. There is one such call at a time on
// a device, since it needs memory by the hundred megabytes; it shares the slots with other calls,
// whose rows go through while the host packs terms.

// sumMemory is how many times the memory of all launches a sum may take on the device. Twice has
// room for 2^20 terms where that is defaultMemory.
const sumMemory = 2

// A space is a device's memory for sums, and what the host reads of it.
type space struct {
	memory sums.Memory
	answer sums.Answer
	most   int64 // bytes that a sum may take, less if the device turned out to have less

	equations equationSpace
}

// A reduction is a call that has the space, and slots.
type reduction struct {
	*Engine
	*space
	slots []*slot
}

// newSpace returns a space for an Engine whose launches take so many bytes.
func newSpace(memory int64) *space {
	memory = memoryLimit(memory)
	s := &space{most: sumMemory * min(memory, math.MaxInt64/sumMemory)}
	s.equations.memory.Sum = &s.memory
	return s
}

// reduce runs f with the space and one or two slots.
func (e *Engine) reduce(ctx context.Context, f func(*reduction) error) error {
	if err := e.stopped(); err != nil {
		return err
	}
	var r reduction
	select {
	case s := <-e.spaces:
		r = reduction{Engine: e, space: s}
	case <-e.stop:
		return e.stopped()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer r.end()
	first, err := e.take(ctx)
	if err != nil {
		return err
	}
	r.slots = append(r.slots, first)
	select {
	case second := <-e.free:
		r.slots = append(r.slots, second)
	default: // others have them all
	}
	return f(&r)
}

// reduced carries out a call with one result by this device alone, and judges nothing.
func (e *Engine) reduced(ctx context.Context, c *device.Call) error {
	return e.alone(ctx, newDivision(c))
}

// end gives back what r has. If a slot is busy, that is done when the device is done with it: its
// queue works on the space.
func (r *reduction) end() {
	busy := false
	for _, s := range r.slots {
		busy = busy || s.busy
	}
	giveBack := func() {
		for _, s := range r.slots {
			r.retire(s)
		}
		// Close has the space when it has all slots.
		r.spaces <- r.space
		for _, s := range r.slots {
			s.n = 0
			r.free <- s
		}
	}
	if !busy {
		giveBack()
		return
	}
	go giveBack()
}

// settle waits until the device is done with a slot.
func (r *reduction) settle(ctx context.Context, s *slot) error {
	if !s.busy {
		return nil
	}
	err := r.wait(ctx, func(ctx context.Context) error {
		err := s.queue.Wait(ctx)
		s.busy = s.busy && err != nil
		return err
	})
	if err == nil {
		r.ended.Add(1)
	}
	return err
}

// settleOthers waits until the device is done with all slots but one, before that one has a
// launch: launches of different queues must not write to the same memory at the same time
// (OpenCL 1.2, appendix A.1), though it be to different words. Copies of the one overlap with what
// others launch.
func (r *reduction) settleOthers(ctx context.Context, one *slot) error {
	for _, s := range r.slots {
		if s != one {
			if err := r.settle(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// each has f enqueue the rows of a call from lo to hi, by as many at a time as a slot holds. All of
// them are done when it returns nil.
func (r *reduction) each(ctx context.Context, lo, hi int, f func(s *slot, lo, hi int) error) error {
	next := 0
	for ; lo < hi; lo += r.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := r.slots[next]
		if err := r.settle(ctx, s); err != nil {
			return err
		}
		s.busy = true
		if err := f(s, lo, min(lo+r.rows, hi)); err != nil {
			return err
		}
		next = (next + 1) % len(r.slots)
	}
	for _, s := range r.slots {
		if err := r.settle(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// shape returns the shape of a sum of n terms, or of an equal part of them for which there is
// memory, and has that. If there is none for a group of terms, the error is driver.ErrMemory.
func (r *reduction) shape(n, bits int) (*sums.Shape, error) {
	r.equations.memory.FreeRecords()
	n = min(n, sums.MaxTerms)
	for parts := 1; n/parts >= min(n, driver.Group); parts *= 2 {
		s := sums.New((n+parts-1)/parts, bits)
		if s.Bytes() > r.most {
			continue
		}
		err := r.memory.Grow(r.dev, s, r.most)
		if err == nil {
			return s, nil
		}
		if !errors.Is(err, driver.ErrMemory) {
			return nil, err
		}
		r.most = s.Bytes() - 1
	}
	return nil, fmt.Errorf("%w for a sum of %d terms", driver.ErrMemory, n)
}

// one has f enqueue something, and waits until it is done.
func (r *reduction) one(ctx context.Context, f func(driver.Queue) error) error {
	s := r.slots[0]
	s.busy = true
	if err := f(s.queue); err != nil {
		return err
	}
	return r.settle(ctx, s)
}

// sumBudget is the time for measuring sums or equations, of the host and the device together.
const sumBudget = 2 * budget

// measureBoth returns from how many rows on the device is faster than the host, of the numbers that
// are first times powers of two, or 0 if none was found in the time for that, or the device has
// no memory for more. The host takes the less time for a row the more there are, so both are
// timed with equal numbers.
func measureBoth(
	first int, call func(n int) *device.Call, dev, host func(*device.Call) error,
) (int, error) {
	spent := time.Duration(0)
	for n := first; spent < sumBudget; n *= 2 {
		c := call(n)
		onDevice, err := fastest(func() error { return dev(c) })
		if errors.Is(err, driver.ErrMemory) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		onHost, err := fastest(func() error { return host(c) })
		if err != nil {
			return 0, err
		}
		if onDevice < onHost {
			return n, nil
		}
		spent += attempts * (onDevice + onHost)
	}
	return 0, nil
}
