package driver

import "context"

// A Drain is a wait for a driver that can only block. It goes on if the context of the one who
// waits ends. The zero value is none.
type Drain struct{ ended chan error }

// Pending returns whether a wait goes on whose context ended.
func (d *Drain) Pending() bool { return d.ended != nil }

// Wait runs drain, or, if one is pending, waits for that instead, and returns its error. Unless
// ctx never ends, drain runs in a goroutine of its own. If ctx ends first Wait returns ctx.Err(),
// and drain is pending.
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
