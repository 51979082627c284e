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
	var at [2]uint64 // in nanoseconds
	for i, name := range [2]uint32{profilingStart, profilingEnd} {
		code := q.GetEventProfilingInfo(c.event, name, 8, unsafe.Pointer(&at[i]), nil)
		if err := failure("GetEventProfilingInfo", code); err != nil {
			return err
		}
	}
	q.times = append(q.times, time.Duration(at[1]-at[0]))
	return nil
}
