package cudatest

import (
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
)

// An event is an event of the driver. Its time is the number of instructions that kernels had
// executed when the stream reached the event.
type event struct {
	timed   bool        // it was made for timing
	stream  cuda.Stream // in which it was recorded last, or 0
	at      uint64
	reached bool
}

func (d *Driver) eventCreate(e *cuda.Event, flags uint32) cuda.Result {
	*e = cuda.Event(d.next())
	d.events[*e] = &event{timed: flags&cuda.EventDisableTiming == 0}
	return cuda.Success
}

func (d *Driver) eventRecord(e cuda.Event, s cuda.Stream) cuda.Result {
	ev, st := d.events[e], d.streams[s]
	if st == nil || ev == nil {
		d.fault("event %#x or stream %#x is none", e, s)
		return cuda.ErrorInvalidHandle
	}
	ev.stream, ev.reached = s, false
	st.work = append(st.work, func() error {
		ev.at, ev.reached = d.instructions, true
		return nil
	})
	return cuda.Success
}

// eventSynchronize takes the time of the executed instructions.
func (d *Driver) eventSynchronize(e cuda.Event) cuda.Result {
	ev := d.events[e]
	if ev == nil || d.streams[ev.stream] == nil {
		d.fault("event %#x is none, or was never recorded", e)
		return cuda.ErrorInvalidHandle
	}
	before := d.instructions
	result := d.run(d.streams[ev.stream])
	d.owed = d.time(d.instructions - before)
	return result
}

func (d *Driver) eventDestroy(e cuda.Event) cuda.Result {
	return remove(d, "EventDestroy", d.events, e)
}

// time returns the time that the given number of instructions takes, if Pace is set.
func (d *Driver) time(instructions uint64) time.Duration {
	return time.Duration(float64(instructions) * float64(d.Pace) / 1e6)
}

// eventElapsedTime returns the time of the instructions executed between two events. It is a
// nanosecond for each if Pace is not set.
func (d *Driver) eventElapsedTime(ms *float32, begin, end cuda.Event) cuda.Result {
	first, last := d.events[begin], d.events[end]
	for _, ev := range []*event{first, last} {
		if ev == nil || !ev.timed || !ev.reached {
			d.fault("event %#x or %#x has no time", begin, end)
			return cuda.ErrorInvalidHandle
		}
	}
	*ms = float32(float64(last.at-first.at) / 1e6)
	if d.Pace > 0 {
		*ms = float32(d.time(last.at-first.at).Seconds() * 1000)
	}
	return cuda.Success
}
