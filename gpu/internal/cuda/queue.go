package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

const (
	// Host memory that AllocHost did not allocate is copied by way of pinned memory that belongs to
	// the queue, since only copies from and to pinned memory run in the background. The queue keeps
	// this pinned memory: at most stageMost blocks (stages) of stageSize bytes each. When all are
	// full, the queue waits until the device has made the copies.
	stageSize = 1 << 20
	stageMost = 2

	// stageAlign is the alignment in bytes of copies in a stage.
	stageAlign = 256

	// maxParams is the greatest number of bytes that the parameters of a kernel may take.
	maxParams = 4096
)

// A queue implements driver.Queue with a stream.
type queue struct {
	device *device
	stream Stream
	event  Event
	stages []stage
	full   int // number of stages that are full
	reads  []read
	wait   driver.Drain
}

// A stage is a block of pinned memory. The field used is the number of bytes, from the beginning of
// the block, that hold data whose copy has been enqueued and may not have finished.
type stage struct {
	memory []byte
	used   int
}

// A read is a copy that Wait makes on the host, from pinned memory to the caller's slice.
type read struct{ to, from []byte }

func (d *device) NewQueue() (driver.Queue, error) {
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

func (q *queue) Write(dst driver.Buffer, off int, src []byte) error {
	buf, err := q.buffer(dst, off, len(src))
	if err != nil || len(src) == 0 {
		return err
	}
	at := buf.at + Pointer(off)
	return q.device.do(func() error {
		if q.device.isPinned(src) {
			return q.toDevice(at, src)
		}
		for len(src) > 0 {
			pinned, err := q.pinned(len(src))
			if err != nil {
				return err
			}
			n := copy(pinned, src)
			if err := q.toDevice(at, pinned); err != nil {
				return err
			}
			src, at = src[n:], at+Pointer(n)
		}
		return nil
	})
}

func (q *queue) Read(dst []byte, src driver.Buffer, off int) error {
	buf, err := q.buffer(src, off, len(dst))
	if err != nil || len(dst) == 0 {
		return err
	}
	at := buf.at + Pointer(off)
	return q.device.do(func() error {
		if q.device.isPinned(dst) {
			return q.toHost(dst, at)
		}
		for len(dst) > 0 {
			pinned, err := q.pinned(len(dst))
			if err != nil {
				return err
			}
			n := len(pinned)
			if err := q.toHost(pinned, at); err != nil {
				return err
			}
			q.reads = append(q.reads, read{dst[:n], pinned})
			dst, at = dst[n:], at+Pointer(n)
		}
		return nil
	})
}

// toDevice enqueues a copy from pinned host memory to device memory. The device's context must be
// current.
func (q *queue) toDevice(dst Pointer, src []byte) error {
	d := q.device
	return d.failure("MemcpyHtoDAsync", d.MemcpyHtoDAsync(dst,
		unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)), q.stream))
}

// toHost enqueues a copy from device memory to pinned host memory. The device's context must be
// current.
func (q *queue) toHost(dst []byte, src Pointer) error {
	d := q.device
	return d.failure("MemcpyDtoHAsync", d.MemcpyDtoHAsync(
		unsafe.Pointer(unsafe.SliceData(dst)), src, uintptr(len(dst)), q.stream))
}

// pinned returns at most n bytes of pinned memory: n bytes, or as many as are left in the current
// stage. If no stage has any left, it first waits for the device.
func (q *queue) pinned(n int) ([]byte, error) {
	for {
		if q.full < len(q.stages) {
			s := &q.stages[q.full]
			if left := len(s.memory) - s.used; left > 0 {
				n = min(n, left)
				b := s.memory[s.used : s.used+n : s.used+n]
				s.used = min((s.used+n+stageAlign-1)&^(stageAlign-1), len(s.memory))
				return b, nil
			}
			q.full++
			continue
		}
		if len(q.stages) == stageMost {
			if err := q.drain(); err != nil {
				return nil, err
			}
			continue
		}
		memory, err := q.device.pin(stageSize)
		if err != nil {
			return nil, err
		}
		q.stages = append(q.stages, stage{memory: memory})
	}
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
		return d.failure("LaunchKernel "+kernel, d.LaunchKernel(f.id, uint32(groups), 1, 1,
			driver.Group, 1, 1, 0, q.stream, nil, extra))
	})
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

// drain waits until the stream is empty, and makes the copies in the list of reads. After an error
// the state of the stream is unknown, so pinned memory that it may still use is not used again.
func (q *queue) drain() error {
	d := q.device
	err := d.failure("EventRecord", d.EventRecord(q.event, q.stream))
	if err == nil {
		err = d.failure("EventSynchronize", d.EventSynchronize(q.event))
	}
	if err == nil {
		for _, r := range q.reads {
			copy(r.to, r.from)
		}
		for i := range q.stages {
			q.stages[i].used = 0
		}
		q.full = 0
	}
	clear(q.reads)
	q.reads = q.reads[:0]
	return err
}

// Close waits until the queue is empty, and frees it.
func (q *queue) Close() {
	_ = q.Wait(context.Background())
	d := q.device
	_ = d.do(func() error {
		for _, s := range q.stages {
			d.unpin(s.memory)
		}
		d.EventDestroy(q.event)
		d.StreamDestroy(q.stream)
		return nil
	})
	q.stages = nil
}
