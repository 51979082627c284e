package cudatest

import "github.com/koblitz-go/koblitz/gpu/internal/cuda"

// A stamp is the time of an event: how many instructions kernels had carried out when the stream
// came to it. It is there for events that are for timing.
type stamp struct {
	at      uint64
	reached bool
}

// stamped enqueues the time of an event, if it has one. d.mu is held.
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

// eventElapsedTime counts an instruction as a nanosecond.
func (d *Driver) eventElapsedTime(ms *float32, begin, end cuda.Event) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.enter("EventElapsedTime", true); r != cuda.Success {
		return r
	}
	first, ok := d.stamps[begin]
	last, also := d.stamps[end]
	if !ok || !also || !first.reached || !last.reached {
		d.fault("event %#x or %#x has no time", begin, end)
		return cuda.ErrorInvalidHandle
	}
	*ms = float32(float64(last.at-first.at) / 1e6)
	return cuda.Success
}
