package cuda

import (
	"context"
	"fmt"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A timedQueue implements driver.TimedQueue. It records an event before and an event after each
// launch. Even for an empty launch, the time between the two is some microseconds.
type timedQueue struct {
	*queue
	events []Event // two for each launch since the last Wait; the rest are for reuse
	used   int
	times  []time.Duration
}

// NewTimedQueue implements driver.Timed.
func (d *device) NewTimedQueue() (driver.TimedQueue, error) {
	if d.EventElapsedTime == nil {
		return nil, fmt.Errorf("%w: the CUDA driver has no cuEventElapsedTime", ErrNone)
	}
	q, err := d.NewQueue()
	if err != nil {
		return nil, err
	}
	return &timedQueue{queue: q.(*queue)}, nil
}

// mark records an event in the stream.
func (q *timedQueue) mark() error {
	d := q.device
	return d.do(func() error {
		if q.used == len(q.events) {
			var e Event
			if err := d.failure("EventCreate", d.EventCreate(&e, 0)); err != nil {
				return err
			}
			q.events = append(q.events, e)
		}
		q.used++
		return d.failure("EventRecord", d.EventRecord(q.events[q.used-1], q.stream))
	})
}

// Launch implements driver.Queue.
func (q *timedQueue) Launch(kernel string, n int, args ...any) error {
	if q.wait.Pending() {
		return errBusy
	}
	if n <= 0 {
		return nil
	}
	begin := q.used
	err := q.mark()
	if err == nil {
		err = q.queue.Launch(kernel, n, args...)
	}
	if err == nil {
		err = q.mark()
	}
	if err != nil {
		q.used = begin // drop the first event: the launch failed, so there is no second
	}
	return err
}

// Wait implements driver.Queue.
func (q *timedQueue) Wait(ctx context.Context) error {
	if err := q.queue.Wait(ctx); err != nil {
		return err
	}
	d := q.device
	q.times = q.times[:0]
	err := d.do(func() error {
		for i := 0; i < q.used; i += 2 {
			var ms float32
			if err := d.failure("EventElapsedTime",
				d.EventElapsedTime(&ms, q.events[i], q.events[i+1])); err != nil {
				return err
			}
			q.times = append(q.times, time.Duration(float64(ms)*float64(time.Millisecond)))
		}
		return nil
	})
	q.used = 0
	return err
}

// Times implements driver.TimedQueue.
func (q *timedQueue) Times() []time.Duration { return q.times }

// Close implements driver.Queue.
func (q *timedQueue) Close() {
	q.queue.Close()
	d := q.device
	_ = d.do(func() error {
		for _, e := range q.events {
			d.EventDestroy(e)
		}
		return nil
	})
	q.events, q.used = nil, 0
}
