package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// This file carries out calls that have one result for all rows. Each row becomes terms of a sum,
// which stay in device memory until the terms of all rows are there, and are then added up. Such a
// call needs hundreds of megabytes, so only one of them runs on a device at a time. It shares the
// slots with calls of other kinds, whose launches run while the host packs terms.

// sumMemory limits the device memory of a sum, as a multiple of the memory that all launches may
// use. With 2 there is room for 2^20 terms at defaultMemory.
const sumMemory = 2

// A space is the memory for one sum or equation: device memory for its terms, and host memory for
// its results.
type space struct {
	memory sums.Memory
	answer sums.Answer
	most   int64 // most bytes of a sum; lowered if the device turns out to have less
	loaded bool  // the device has the program for sums and equations

	equations equationSpace
}

// A reduction is a call with one result, while it holds the space and some slots of the Engine.
type reduction struct {
	*Engine
	*space
	slots []*slot
}

// newSpace returns a space. memory is the number of bytes that all launches may use.
func newSpace(memory int64) *space {
	memory = memoryLimit(memory)
	s := &space{most: sumMemory * min(memory, math.MaxInt64/sumMemory)}
	s.equations.memory.Sum = &s.memory
	return s
}

// reduce calls f with a reduction that holds the space and one or two slots.
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
	default: // other calls hold all slots
	}
	return f(&r)
}

// end gives back the space and the slots of r. If a slot is busy, its queue still uses the space.
// Then end returns at once, and a goroutine gives both back when the device is done with the slot.
func (r *reduction) end() {
	busy := false
	for _, s := range r.slots {
		busy = busy || s.busy
	}
	giveBack := func() {
		for _, s := range r.slots {
			r.retire(s)
		}
		// The space must be given back before the slots: Close first takes all slots, then the
		// space.
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

// load loads the program for sums and equations before its first launch. No two calls hold the
// space at the same time, so no two load the program.
func (r *reduction) load() error {
	if r.loaded {
		return nil
	}
	var took time.Duration
	err := timed(&took, func() error { return r.dev.Load(kernels.Sums()) })
	r.loaded = err == nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times.Compile += took
	return err
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

// settleOthers waits until the device is done with all slots but one. It is called before a launch
// in that slot, because launches of different queues must not write to the same buffer at the same
// time, even to different words (OpenCL 1.2, appendix A.1). The copies to this slot have been
// enqueued before, and overlap with the launches in other slots.
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

// cut cuts the rows from lo to hi into consecutive ranges that fit into a slot, and calls f for
// each range; f enqueues the range. When cut returns nil, the device is done with all ranges.
func (r *reduction) cut(ctx context.Context, lo, hi int, f func(s *slot, lo, hi int) error) error {
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

// shape returns the parameters for computing a sum of n terms, and allocates its memory. If n terms
// do not fit into memory, the parameters are for one of several parts of equal size. If not even a
// group of terms fits, the error is driver.ErrMemory.
func (r *reduction) shape(n int) (*sums.Shape, error) {
	r.equations.memory.FreeRecords()
	n = min(n, sums.MaxTerms)
	for parts := 1; n/parts >= min(n, driver.Group); parts *= 2 {
		s := sums.New((n + parts - 1) / parts)
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

// one calls f, which enqueues commands, and waits until the device has carried them out.
func (r *reduction) one(ctx context.Context, f func(driver.Queue) error) error {
	s := r.slots[0]
	s.busy = true
	if err := f(s.queue); err != nil {
		return err
	}
	return r.settle(ctx, s)
}
