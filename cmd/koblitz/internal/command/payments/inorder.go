package payments

import (
	"context"
	"sync"
)

// inOrder calls work with each height from first to last, on the given number of goroutines, and
// take with the results, in order, on the caller's goroutine. It returns the first error of either
// function, or that of ctx. At most three results for each worker are in memory.
func inOrder[T any](ctx context.Context, workers int, first, last int32,
	work func(height int32) (T, error), take func(T) error) error {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue, busy := make(chan chan result, 2*workers), make(chan bool, workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(queue)
		for h := first; h <= last; h++ {
			done := make(chan result, 1)
			select {
			case queue <- done:
			case <-ctx.Done():
				return
			}
			busy <- true
			wg.Go(func() {
				v, err := work(h)
				done <- result{v, err}
				<-busy
			})
		}
	})
	for done := range queue {
		select {
		case r := <-done:
			if r.err != nil {
				return r.err
			}
			if err := take(r.value); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
