package cuda

import (
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// maxParams is the greatest number of bytes that the parameters of a kernel may take.
const maxParams = 4096

// A queue implements driver.Commands with a stream.
type queue struct {
	device *device
	stream Stream
	event  Event

	timed bool            // whether launches are measured
	marks []Event         // two for each launch since the last Drain; the rest are for reuse
	used  int             // number of marks recorded since the last Drain
	times []time.Duration // durations of the launches that the last Drain waited for
}

// NewQueue implements driver.Device. If launches are measured, the queue records an event before
// and an event after each of them. Even for an empty launch, the time between the two is some
// microseconds.
func (d *device) NewQueue(timed bool) (driver.Queue, error) {
	if timed && d.EventElapsedTime == nil {
		return nil, fmt.Errorf("%w: the CUDA driver has no cuEventElapsedTime", ErrNone)
	}
	q := &queue{device: d, timed: timed}
	err := d.do(func() error {
		if err := d.failure("StreamCreate",
			d.StreamCreate(&q.stream, StreamNonBlocking)); err != nil {
			return err
		}
		err := d.failure("EventCreate",
			d.EventCreate(&q.event, EventBlockingSync|EventDisableTiming))
		if err != nil {
			d.StreamDestroy(q.stream)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return driver.NewQueue(d, q), nil
}

// Copy uses the driver's asynchronous copies. The driver copies directly from and to pinned memory.
// Before the function returns, other memory has been copied to the device or to pinned memory of
// the driver, or from the device.
func (q *queue) Copy(h driver.Handle, off int, host []byte, back bool) error {
	d := q.device
	at, p, n := Pointer(h)+Pointer(off), unsafe.Pointer(unsafe.SliceData(host)), uintptr(len(host))
	return d.do(func() error {
		if back {
			return d.failure("MemcpyDtoHAsync", d.MemcpyDtoHAsync(p, at, n, q.stream))
		}
		return d.failure("MemcpyHtoDAsync", d.MemcpyHtoDAsync(at, p, n, q.stream))
	})
}

// Launch implements driver.Commands.
func (q *queue) Launch(kernel string, groups int, args []any) error {
	d := q.device
	return d.do(func() error {
		f, err := d.function(kernel)
		if err != nil {
			return err
		}
		block := pack(args)
		if len(block) == 0 || len(block) > maxParams {
			return fmt.Errorf("%s, cuda: %d arguments", kernel, len(args))
		}
		size := uintptr(len(block))
		extra := &LaunchExtra{BufferKey: 1, Buffer: unsafe.Pointer(&block[0]),
			SizeKey: 2, Size: &size}
		return q.measure(func() error {
			return d.failure("LaunchKernel "+kernel, d.LaunchKernel(f, uint32(groups), 1, 1,
				driver.Group, 1, 1, 0, q.stream, nil, extra))
		})
	})
}

// measure calls launch. If launches are measured, it records an event before and after the launch.
func (q *queue) measure(launch func() error) error {
	if !q.timed {
		return launch()
	}
	begin := q.used
	err := q.mark()
	if err == nil {
		err = launch()
	}
	if err == nil {
		err = q.mark()
	}
	if err != nil {
		q.used = begin // drop the first event: the launch failed, so there is no second
	}
	return err
}

// mark records an event in the stream.
func (q *queue) mark() error {
	d := q.device
	if q.used == len(q.marks) {
		var e Event
		if err := d.failure("EventCreate", d.EventCreate(&e, 0)); err != nil {
			return err
		}
		q.marks = append(q.marks, e)
	}
	q.used++
	return d.failure("EventRecord", d.EventRecord(q.marks[q.used-1], q.stream))
}

// pack returns the arguments of a kernel as one block.
func pack(args []any) []byte {
	block := make([]byte, 0, 128)
	for _, arg := range args {
		if number, ok := arg.(uint32); ok {
			block = binary.LittleEndian.AppendUint32(block, number)
			continue
		}
		for len(block)%8 != 0 {
			block = append(block, 0)
		}
		value, ok := arg.(uint64)
		if !ok {
			value = uint64(arg.(driver.Handle))
		}
		block = binary.LittleEndian.AppendUint64(block, value)
	}
	return block
}

// Drain waits until the stream is empty.
func (q *queue) Drain() error { return q.device.do(q.drain) }

func (q *queue) drain() error {
	d := q.device
	if err := d.failure("EventRecord", d.EventRecord(q.event, q.stream)); err != nil {
		return err
	}
	if err := d.failure("EventSynchronize", d.EventSynchronize(q.event)); err != nil {
		return err
	}
	marks := q.marks[:q.used]
	q.times, q.used = q.times[:0], 0
	for i := 0; i < len(marks); i += 2 {
		var ms float32
		if err := d.failure("EventElapsedTime",
			d.EventElapsedTime(&ms, marks[i], marks[i+1])); err != nil {
			return err
		}
		q.times = append(q.times, time.Duration(float64(ms)*float64(time.Millisecond)))
	}
	return nil
}

// Times implements driver.Commands.
func (q *queue) Times() []time.Duration { return q.times }

// Close implements driver.Commands.
func (q *queue) Close() {
	d := q.device
	_ = d.do(func() error {
		for _, e := range append(q.marks, q.event) {
			d.EventDestroy(e)
		}
		d.StreamDestroy(q.stream)
		return nil
	})
}
