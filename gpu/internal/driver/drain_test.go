package driver

import (
	"context"
	"errors"
	"testing"
)

// TestDrain checks that after a Wait whose context ended, the next Wait waits for the same drain
// and does not start another.
func TestDrain(t *testing.T) {
	var d Drain
	broken := errors.New("broken")
	if err := d.Wait(context.Background(), func() error { return broken }); err != broken {
		t.Errorf("a context that never ends: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := d.Wait(ctx, func() error { return broken }); err != broken || d.Pending() {
		t.Errorf("a context that goes on: %v, pending: %v", err, d.Pending())
	}
	runs, release := 0, make(chan struct{})
	begun := make(chan struct{})
	go func() { <-begun; cancel() }()
	drain := func() error {
		runs++
		close(begun)
		<-release
		return broken
	}
	for range 2 { // the second of these contexts has ended already
		if err := d.Wait(ctx, drain); err != context.Canceled || !d.Pending() {
			t.Errorf("a context that ends: %v, pending: %v", err, d.Pending())
		}
	}
	close(release)
	if err := d.Wait(context.Background(), drain); err != broken || d.Pending() || runs != 1 {
		t.Errorf("taken up: %v, pending: %v, %d runs", err, d.Pending(), runs)
	}
}
