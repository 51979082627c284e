package driver

import "context"

// A Drain lets a caller stop waiting for a driver function that blocks. If the caller's context
// ends, the function continues in a goroutine, and the next call of Wait waits for that goroutine.
// The zero value is ready to use.
type Drain struct{ ended chan error }

// Pending reports whether drain still runs for a Wait whose context ended.
func (d *Drain) Pending() bool { return d.ended != nil }

// Wait runs drain and returns its error. If an earlier drain is pending, Wait waits for that one
// instead. drain runs in a new goroutine, unless ctx can never end. If ctx ends first, Wait returns
// ctx.Err() and leaves drain pending.
func (d *Drain) Wait(ctx context.Context, drain func() error) error {
	if d.ended == nil {
		if ctx.Done() == nil {
			return drain()
		}
		ended := make(chan error, 1)
		d.ended = ended
		go func() { ended <- drain() }()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-d.ended:
		d.ended = nil
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
