package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// take returns a slot that is not busy. It waits for one until ctx ends, or the Engine takes
// no calls.
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

// put gives a slot back. If it is busy, that is done when the device is done with it.
func (e *Engine) put(s *slot) {
	if !s.busy {
		e.retire(s)
		e.free <- s
		return
	}
	go func() {
		e.retire(s)
		e.free <- s
	}()
}

// retire waits until the device is done with a slot whose call is over. No other goroutine may see
// that the device hangs: then it is lost, and the hook is told.
func (e *Engine) retire(s *slot) {
	var err error
	if s.busy {
		limited, cancel := context.WithTimeout(context.Background(), e.timeout)
		err = s.queue.Wait(limited)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			if e.lose(fmt.Errorf("%w: more than %v", ErrTimeout, e.timeout)) {
				e.hook(e.stopped())
			}
			err = s.queue.Wait(context.Background())
		}
		s.busy = false
	}
	if s.then != nil {
		s.then(err)
		s.then = nil
	}
}

// stopped returns why the Engine takes no calls, or nil if it does.
func (e *Engine) stopped() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reason
}

// end makes the Engine take no more calls, for a reason. Unless there was one before, it returns
// true.
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

// lose gives the device up, as end does. The hook is told by note, with the error of the call.
func (e *Engine) lose(why error) bool { return e.end(fmt.Errorf("%w: %w", ErrLost, why)) }

// note tells the hook of an error, and counts those that come one after the other.
func (e *Engine) note(err error) {
	if errors.Is(err, ErrLost) || errors.Is(err, ErrClosed) {
		return // the call found the Engine so: nothing happened
	}
	e.mu.Lock()
	if err == nil {
		e.faults = 0
	} else {
		e.faults++
	}
	lost := e.faults >= maxFaults
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

// Close waits for the calls that are under way, and gives the device back. Later calls are
// errors, and Accepts is false of them. If the device hangs, what it has is not
// given back, and Close returns an error once no launch has ended for the time that one may
// take.
func (e *Engine) Close() error {
	err := ErrClosed
	e.once.Do(func() {
		e.end(ErrClosed)
		err = e.release()
	})
	return err
}

// release is Close for an Engine that takes no calls.
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
			// A call with many launches is under way, and the device does not hang.
			ended = now
			late.Reset(e.timeout)
		}
	}
	(<-e.spaces).equations.memory.Free() // who gave a slot back had given back the space
	// A call may have the lock that has no slot any more. No other call enters after it.
	e.keys.lock <- struct{}{}
	if e.table != nil {
		e.table.Free()
	}
	e.releaseKeys()
	return e.dev.Close()
}
