package cudatest

import "github.com/koblitz-go/koblitz/gpu/internal/cuda"

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

// eventElapsedTime returns the time between two events, counting one nanosecond for each
// instruction executed between them.
func (d *Driver) eventElapsedTime(ms *float32, begin, end cuda.Event) cuda.Result {
	return d.call("EventElapsedTime", true, func() cuda.Result {
		first, ok := d.stamps[begin]
		last, also := d.stamps[end]
		if !ok || !also || !first.reached || !last.reached {
			d.fault("event %#x or %#x has no time", begin, end)
			return cuda.ErrorInvalidHandle
		}
		*ms = float32(float64(last.at-first.at) / 1e6)
		return cuda.Success
	})
}
