package measure

import (
	"context"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A timedLaunch describes a launch that has ended: its kernel, and how long it took.
type timedLaunch struct {
	kernel string
	n      int
	time   time.Duration
}

// A stopwatch is a device that times all launches of its queues and records them. With it, the
// launches that the engine makes in calls are timed.
type stopwatch struct {
	driver.Timed
	mu  sync.Mutex
	log []timedLaunch
}

// take returns the launches that were recorded since the previous call of take.
func (s *stopwatch) take() []timedLaunch {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// NewQueue implements driver.Device.
func (s *stopwatch) NewQueue() (driver.Queue, error) {
	q, err := s.NewTimedQueue()
	if err != nil {
		return nil, err
	}
	return &watched{TimedQueue: q, stopwatch: s}, nil
}

// A watched is a queue that passes the times of its launches to a stopwatch.
type watched struct {
	driver.TimedQueue
	stopwatch *stopwatch
	under     []timedLaunch // launches since the last Wait
}

// Launch implements driver.Queue.
func (q *watched) Launch(kernel string, n int, args ...any) error {
	err := q.TimedQueue.Launch(kernel, n, args...)
	if err == nil && n > 0 {
		q.under = append(q.under, timedLaunch{kernel: kernel, n: n})
	}
	return err
}

// Wait implements driver.Queue.
func (q *watched) Wait(ctx context.Context) error {
	if err := q.TimedQueue.Wait(ctx); err != nil {
		return err
	}
	q.stopwatch.mu.Lock()
	defer q.stopwatch.mu.Unlock()
	for i, t := range q.Times() {
		if i < len(q.under) {
			q.under[i].time = t
		}
	}
	q.stopwatch.log = append(q.stopwatch.log, q.under...)
	q.under = q.under[:0]
	return nil
}
