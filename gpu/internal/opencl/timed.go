package opencl

import (
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A timedQueue implements driver.TimedQueue with a queue that was created with profiling.
type timedQueue struct{ *queue }

// NewTimedQueue implements driver.Timed.
func (d *device) NewTimedQueue() (driver.TimedQueue, error) {
	q, err := d.newQueue(queueProfiling)
	if err != nil {
		return nil, err
	}
	q.timed = true
	return timedQueue{q}, nil
}

// Times implements driver.TimedQueue.
func (q timedQueue) Times() []time.Duration { return q.times }

// note records the duration of a launch that has ended.
func (q *queue) note(c *command) error {
	var begin, end uint64 // in nanoseconds
	code := q.GetEventProfilingInfo(c.event, profilingStart, 8, unsafe.Pointer(&begin), nil)
	if err := failure("GetEventProfilingInfo", code); err != nil {
		return err
	}
	code = q.GetEventProfilingInfo(c.event, profilingEnd, 8, unsafe.Pointer(&end), nil)
	if err := failure("GetEventProfilingInfo", code); err != nil {
		return err
	}
	q.times = append(q.times, time.Duration(end-begin))
	return nil
}
