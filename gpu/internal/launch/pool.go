package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// take returns a slot that is not busy. If there is none, take waits for one until ctx ends or the
// Engine stops taking calls; it then returns the error.
func (e *Engine) take(ctx context.Context) (*slot, error) {
	if err := e.stopped(); err != nil {
		return nil, err
	}
	select {
	case s := <-e.free:
		return s, nil
	case <-e.stop:
		return nil, e.stopped()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// takeSlots returns a slot as take does, and a second one if more is set and one is free.
func (e *Engine) takeSlots(ctx context.Context, more bool) ([]*slot, error) {
	first, err := e.take(ctx)
	if err != nil {
		return nil, err
	}
	slots := []*slot{first}
	if more {
		select {
		case second := <-e.free:
			slots = append(slots, second)
		default: // other calls hold all slots
		}
	}
	return slots, nil
}

// carryOut calls enqueue, which enqueues commands in a slot, and waits until the device has carried
// them out. If it returns an error and the slot is busy, the device may still use their memory.
func (e *Engine) carryOut(
	ctx context.Context, s *slot, enqueue func(q driver.Queue) error,
) error {
	s.busy = true
	err := enqueue(s.queue)
	waited := e.settle(ctx, s)
	if waited != nil && ctx.Err() == nil && !errors.Is(waited, ErrTimeout) {
		// A command has failed. Wait for the others.
		err, waited = waited, e.settle(ctx, s)
	}
	return cmp.Or(waited, err)
}

// put makes a slot available for other calls. If the slot is busy, put returns at once, and a
// goroutine makes it available when the device is done with it.
func (e *Engine) put(s *slot) {
	giveBack := func() {
		e.retire(s)
		e.free <- s
	}
	if s.busy {
		go giveBack()
	} else {
		giveBack()
	}
}

// retire waits until the device is done with a slot whose call is over. If the device hangs, or if
// waiting fails, there may be no call that notices it, so retire marks the device as lost and calls
// Options.Hook.
func (e *Engine) retire(s *slot) {
	if s.busy {
		limited, cancel := context.WithTimeout(context.Background(), e.timeout)
		err := s.queue.Wait(limited)
		if err != nil && limited.Err() == nil {
			err = s.queue.Wait(limited) // the first error may be that of a command
		}
		cancel()
		hangs := errors.Is(err, context.DeadlineExceeded)
		if hangs {
			err = fmt.Errorf("%w: more than %v", ErrTimeout, e.timeout)
		}
		// If waiting fails, commands of this slot may run on, and spoil a sum of other slots. After
		// driver.ErrLost none does, and the next call notices the loss.
		if err != nil && !errors.Is(err, driver.ErrLost) && e.lose(err) {
			e.hook(e.stopped())
		}
		if hangs {
			_ = s.queue.Wait(context.Background())
		}
		s.busy = false
	}
	if s.then != nil {
		s.then()
		s.then = nil
	}
}

// stopped returns the reason why the Engine takes no calls, or nil if it takes calls.
func (e *Engine) stopped() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reason
}

// end makes the Engine refuse further calls, for the given reason. It returns false if the Engine
// has been stopped before.
func (e *Engine) end(reason error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reason != nil {
		return false
	}
	e.reason = reason
	close(e.stop)
	return true
}

// lose marks the device as lost. It does not call Options.Hook: the method note does that, with the
// error of the call.
func (e *Engine) lose(why error) bool { return e.end(fmt.Errorf("%w: %w", ErrLost, why)) }

// note calls Options.Hook with the error of a call. It marks the device as lost if the error says
// so, or if too many calls have failed in succession.
func (e *Engine) note(err error) {
	if errors.Is(err, ErrLost) || errors.Is(err, ErrClosed) {
		return // the device had been stopped before the call: no new fault
	}
	e.mu.Lock()
	if err == nil {
		e.faults = 0
	} else {
		e.faults++
	}
	lost := e.faults >= maxFaults || errors.Is(err, driver.ErrLost)
	e.mu.Unlock()
	if err == nil {
		return
	}
	if lost {
		e.lose(err)
	}
	if reason := e.stopped(); errors.Is(reason, ErrLost) {
		err = reason
	}
	e.hook(err)
}

// Close waits for the calls under way, and then closes the device. Afterwards calls return errors,
// and Accepts returns false. If no launch ends within the time limit of a launch, the device hangs:
// Close returns an error and frees nothing.
func (e *Engine) Close() error {
	err := ErrClosed
	e.once.Do(func() {
		e.end(ErrClosed)
		err = e.release()
	})
	return err
}

// release frees the slots and closes the device, for an Engine that takes no more calls.
func (e *Engine) release() error {
	late := time.NewTimer(e.timeout)
	defer late.Stop()
	ended := e.ended.Load()
	for e.slots > 0 {
		select {
		case s := <-e.free:
			s.free()
			e.slots--
		case <-late.C:
			now := e.ended.Load()
			if now == ended {
				return fmt.Errorf("%w: it was not closed", ErrTimeout)
			}
			// A launch has ended, so the device does not hang: a call with many launches is under
			// way.
			ended = now
			late.Reset(e.timeout)
		}
	}
	(<-e.spaces).memory.Free() // not in use, since no slot is
	// A call that holds no slot may still hold this lock, so wait for it. No later call takes the
	// lock.
	e.keys.lock <- struct{}{}
	if e.table != nil {
		e.table.Free()
	}
	e.releaseKeys()
	return e.dev.Close()
}
