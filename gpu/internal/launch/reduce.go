package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/device"
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
	return &space{most: sumMemory * min(memory, math.MaxInt64/sumMemory)}
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
	slots, err := e.takeSlots(ctx, true)
	if err != nil {
		return err
	}
	r.slots = slots
	return f(&r)
}

// end gives back the slots of r, and the space when the device is done with all of them: the queue
// of a busy slot still uses the space.
func (r *reduction) end() {
	var users atomic.Int32
	users.Store(int32(len(r.slots)) + 1)
	done := func() {
		if users.Add(-1) == 0 {
			r.spaces <- r.space
		}
	}
	for _, s := range r.slots {
		s.then = done
		r.put(s)
	}
	done()
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

// shape returns the parameters for computing n rows of a call of kind k, and allocates their
// memory. If n rows do not fit into memory, the parameters are for one of several parts of equal
// size. If not even a group of terms of a Sum fits, or a single row of an equation, the error is
// driver.ErrMemory.
func (r *reduction) shape(k device.Kind, n int) (*sums.Shape, error) {
	n = min(n, sums.MaxRows(k))
	least := 1
	if k == device.Sum {
		least = min(n, driver.Group)
	}
	for parts := 1; ; parts *= 2 {
		s := sums.New(k, (n+parts-1)/parts)
		if s.Bytes() <= r.most {
			err := r.memory.Grow(r.dev, s, r.most)
			if err == nil {
				return s, nil
			}
			if !errors.Is(err, driver.ErrMemory) {
				return nil, err
			}
			r.most = s.Bytes() - 1
		}
		if s.Rows/2 < least {
			return nil, fmt.Errorf("%w for a sum of %d terms", driver.ErrMemory, s.Terms)
		}
	}
}

// compute has the device compute the subtotal of rows lo to hi − 1 of c, and adds it to t. If there
// is no memory for that many rows, it computes several sums. It stops early when t.Bad returns
// true.
func (r *reduction) compute(
	ctx context.Context, t *sums.Total, c *device.Call, lo, hi int,
) error {
	for lo < hi && !t.Bad() {
		shape, err := r.shape(c.Kind, hi-lo)
		if err == nil {
			err = r.load()
		}
		if err == nil {
			err = r.part(ctx, shape, c, lo)
		}
		if err == nil {
			err = t.Add(shape, &r.answer)
		}
		if err != nil {
			return err
		}
		lo += shape.Rows
	}
	return nil
}

// part has the device compute one sum, for the rows of c from lo on. Each launch has the rows that
// fit into a slot.
func (r *reduction) part(ctx context.Context, shape *sums.Shape, c *device.Call, lo int) error {
	widths := []int{32, 64} // of a Sum
	if p, ok := programOf(equationKinds[c.Kind]); ok {
		widths = p.widths
	}
	err := r.carryOut(ctx, r.slots[0], func(q driver.Queue) error {
		r.answer.Sum, r.answer.Records = r.slots[0].out.host, r.slots[0].cols[1].host
		return shape.Begin(q, &r.memory, &r.answer)
	})
	if err != nil {
		return err
	}
	for start := 0; start < shape.Rows; start += r.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := r.slots[start/r.rows%len(r.slots)]
		if err := r.settle(ctx, s); err != nil {
			return err
		}
		s.busy = true
		n := min(r.rows, shape.Rows-start)
		var cols [4]driver.Buffer
		for i, width := range widths {
			if err := s.write(i, &c.Columns[i], width, lo+start, lo+start+n); err != nil {
				return err
			}
			cols[i] = s.cols[i].buffer
		}
		// Launches of different queues must not write to the same buffer at the same time, even to
		// different words (OpenCL 1.2, appendix A.1). The copies to this slot have been enqueued
		// before, and overlap with the launch in the other slot.
		if err := r.settleAll(ctx, s); err != nil {
			return err
		}
		err := shape.Write(s.queue, &r.memory, &r.answer, kernels.Flags(c), start, n, cols)
		if err != nil {
			return err
		}
	}
	if err := r.settleAll(ctx, nil); err != nil {
		return err
	}
	return r.carryOut(ctx, r.slots[0], func(q driver.Queue) error {
		return shape.Finish(q, &r.memory, &r.answer)
	})
}

// settleAll waits until the device is done with all slots, except one if that is not nil.
func (r *reduction) settleAll(ctx context.Context, except *slot) error {
	for _, s := range r.slots {
		if s == except {
			continue
		}
		if err := r.settle(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
