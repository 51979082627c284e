package cudatest

import (
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
)

// A stamp is the time of an event that was made for timing. It is the number of instructions that
// kernels had executed when the stream reached the event.
type stamp struct {
	at      uint64
	reached bool
}

// stamped enqueues recording the time of an event, if the event was made for timing. The caller
// holds d.mu.
func (d *Driver) stamped(e cuda.Event, s cuda.Stream) {
	if _, ok := d.stamps[e]; !ok {
		return
	}
	d.stamps[e] = stamp{}
	d.streams[s].work = append(d.streams[s].work, func() error {
		d.stamps[e] = stamp{d.instructions, true}
		return nil
	})
}

// time returns the time that the given number of instructions takes, if Pace is set.
func (d *Driver) time(instructions uint64) time.Duration {
	return time.Duration(float64(instructions) * float64(d.Pace) / 1e6)
}

// eventElapsedTime returns the time of the instructions executed between two events. It is a
// nanosecond for each if Pace is not set.
func (d *Driver) eventElapsedTime(ms *float32, begin, end cuda.Event) cuda.Result {
	return d.call("EventElapsedTime", true, func() cuda.Result {
		first, ok := d.stamps[begin]
		last, also := d.stamps[end]
		if !ok || !also || !first.reached || !last.reached {
			d.fault("event %#x or %#x has no time", begin, end)
			return cuda.ErrorInvalidHandle
		}
		*ms = float32(float64(last.at-first.at) / 1e6)
		if d.Pace > 0 {
			*ms = float32(d.time(last.at-first.at).Seconds() * 1000)
		}
		return cuda.Success
	})
}
