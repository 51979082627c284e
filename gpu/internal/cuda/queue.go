package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// maxParams is the greatest number of bytes that the parameters of a kernel may take.
const maxParams = 4096

// A queue implements driver.Queue and driver.TimedQueue with a stream.
type queue struct {
	device *device
	stream Stream
	event  Event
	wait   driver.Drain

	timed bool            // whether launches are measured
	marks []Event         // two for each launch since the last Wait; the rest are for reuse
	used  int             // number of marks recorded since the last Wait
	times []time.Duration // durations of the launches that the last Wait waited for
}

func (d *device) NewQueue() (driver.Queue, error) {
	q, err := d.newQueue()
	if err != nil {
		return nil, err
	}
	return q, nil
}

// NewTimedQueue implements driver.Timed. The queue records an event before and an event after each
// launch. Even for an empty launch, the time between the two is some microseconds.
func (d *device) NewTimedQueue() (driver.TimedQueue, error) {
	if d.EventElapsedTime == nil {
		return nil, fmt.Errorf("%w: the CUDA driver has no cuEventElapsedTime", ErrNone)
	}
	q, err := d.newQueue()
	if err != nil {
		return nil, err
	}
	q.timed = true
	return q, nil
}

func (d *device) newQueue() (*queue, error) {
	q := &queue{device: d}
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
	return q, nil
}

// errBusy is returned if the queue is used after the context of a Wait has ended, and before a
// later Wait has returned.
var errBusy = errors.New("cuda: the queue is in use")

// buffer returns b as a buffer of this device. It returns an error if the n bytes at offset off are
// not inside the buffer.
func (q *queue) buffer(b driver.Buffer, off, n int) (*buffer, error) {
	if q.wait.Pending() {
		return nil, errBusy
	}
	buf, ok := b.(*buffer)
	if !ok || buf == nil || buf.device != q.device || buf.at == 0 {
		return nil, fmt.Errorf("cuda: a %T that is no buffer of this device, or was freed", b)
	}
	if off < 0 || off > buf.bytes || n > buf.bytes-off {
		return nil, fmt.Errorf("cuda: %d bytes at offset %d of a buffer of %d",
			n, off, buf.bytes)
	}
	return buf, nil
}

// Write uses the driver's asynchronous copy. The driver copies directly from pinned memory. Before
// the function returns, it has copied other memory to pinned memory of its own, or to the device.
func (q *queue) Write(dst driver.Buffer, off int, src []byte) error {
	buf, err := q.buffer(dst, off, len(src))
	if err != nil || len(src) == 0 {
		return err
	}
	d := q.device
	return d.do(func() error {
		return d.failure("MemcpyHtoDAsync", d.MemcpyHtoDAsync(buf.at+Pointer(off),
			unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)), q.stream))
	})
}

// Read uses the driver's asynchronous copy. If dst is not pinned, the function returns after the
// copy.
func (q *queue) Read(dst []byte, src driver.Buffer, off int) error {
	buf, err := q.buffer(src, off, len(dst))
	if err != nil || len(dst) == 0 {
		return err
	}
	d := q.device
	return d.do(func() error {
		return d.failure("MemcpyDtoHAsync", d.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(dst)),
			buf.at+Pointer(off), uintptr(len(dst)), q.stream))
	})
}

func (q *queue) Launch(kernel string, n int, args ...any) error {
	if q.wait.Pending() {
		return errBusy
	}
	if n <= 0 {
		return nil
	}
	d := q.device
	return d.do(func() error {
		f, err := d.function(kernel)
		if err != nil {
			return err
		}
		block, err := q.pack(f, args)
		if err != nil {
			return fmt.Errorf("%s, %w", kernel, err)
		}
		size := uintptr(len(block))
		extra := &LaunchExtra{BufferKey: 1, Buffer: unsafe.Pointer(&block[0]),
			SizeKey: 2, Size: &size}
		groups := (uint64(n) + driver.Group - 1) / driver.Group
		if groups > 1<<31-1 {
			return fmt.Errorf("%s: cuda: %d rows", kernel, n)
		}
		return q.measure(func() error {
			return d.failure("LaunchKernel "+kernel, d.LaunchKernel(f.id, uint32(groups), 1, 1,
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

// pack returns the arguments of a kernel as one block. If the driver describes the kernel's
// parameters, pack returns an error unless the arguments have the same number and sizes.
func (q *queue) pack(f *function, args []any) ([]byte, error) {
	block := make([]byte, 0, 128)
	for i, arg := range args {
		size, value := 8, uint64(0)
		switch arg := arg.(type) {
		case uint32:
			size, value = 4, uint64(arg)
		case uint64:
			value = arg
		case *buffer:
			if arg == nil || arg.device != q.device || arg.at == 0 {
				return nil, fmt.Errorf("argument %d: cuda: no buffer of this device", i)
			}
			value = uint64(arg.at)
		case nil:
		default:
			return nil, fmt.Errorf("argument %d: cuda: a %T is no argument", i, arg)
		}
		for len(block)%size != 0 {
			block = append(block, 0)
		}
		if want := (param{uintptr(len(block)), uintptr(size)}); f.known &&
			(i >= len(f.params) || f.params[i] != want) {
			return nil, fmt.Errorf("argument %d: cuda: the kernel has another parameter", i)
		}
		if size == 4 {
			block = binary.LittleEndian.AppendUint32(block, uint32(value))
		} else {
			block = binary.LittleEndian.AppendUint64(block, value)
		}
	}
	if f.known && len(args) != len(f.params) || len(args) == 0 || len(block) > maxParams {
		return nil, fmt.Errorf("cuda: %d arguments, and the kernel has %d",
			len(args), len(f.params))
	}
	return block, nil
}

// Wait waits until the queue is empty. If ctx can end, another goroutine does the waiting, and
// continues when ctx ends.
func (q *queue) Wait(ctx context.Context) error {
	return q.wait.Wait(ctx, func() error { return q.device.do(q.drain) })
}

// drain waits until the stream is empty.
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

// Times implements driver.TimedQueue.
func (q *queue) Times() []time.Duration { return q.times }

// Close waits until the queue is empty, and frees it.
func (q *queue) Close() {
	_ = q.Wait(context.Background())
	d := q.device
	_ = d.do(func() error {
		for _, e := range append(q.marks, q.event) {
			d.EventDestroy(e)
		}
		d.StreamDestroy(q.stream)
		return nil
	})
}
