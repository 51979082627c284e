package driver

import "context"

// A Drain lets a caller stop waiting for a driver function that blocks. If the caller's context
// ends, the function continues in a goroutine, and the next call of Wait waits for that goroutine.
// The zero value is ready to use.
type Drain struct{ ended chan error }

// Pending reports whether a function passed to Wait is still running although Wait has returned,
// because its context ended.
func (d *Drain) Pending() bool { return d.ended != nil }

// Wait runs drain and returns its error. If the function of an earlier Wait is still running, it
// waits for that function instead. It runs drain in a new goroutine if ctx can end. If ctx ends
// before drain does, Wait returns ctx.Err(), and drain continues.
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
