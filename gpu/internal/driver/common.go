package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// This file holds what the memory and the queues of all drivers have in common.

// A Handle is a driver's number for device memory: an address, or an object. 0 is a null pointer.
type Handle uint64

// A buffer implements Buffer.
type buffer struct {
	device Device
	handle Handle // 0 after Free
	bytes  int
	free   func(Handle)
}

// NewBuffer returns a Buffer for memory of a device. Its method Free calls free.
func NewBuffer(d Device, handle Handle, bytes int, free func(Handle)) Buffer {
	return &buffer{d, handle, bytes, free}
}

func (b *buffer) Free() {
	if b.handle != 0 {
		b.free(b.handle)
	}
	b.handle = 0
}

// HostMemory is host memory that was allocated for a device.
type HostMemory struct {
	bytes []byte
	free  func()
}

// NewHostMemory returns HostMemory whose method Free calls free.
func NewHostMemory(bytes []byte, free func()) *HostMemory { return &HostMemory{bytes, free} }

// Bytes returns the memory, or nil after Free.
func (h *HostMemory) Bytes() []byte { return h.bytes }

// Free frees the memory. The caller must have waited for all queues that copy from or to it, and
// must no longer use the slice returned by Bytes. A second Free does nothing.
func (h *HostMemory) Free() {
	if h.bytes != nil {
		h.free()
	}
	h.bytes = nil
}

// Commands are what a driver does for a Queue.
type Commands interface {
	// Copy enqueues a copy from host memory to device memory, at an offset, or from device memory to
	// host memory if back is set. There is at least one byte.
	Copy(h Handle, off int, host []byte, back bool) error
	// Launch enqueues a launch of a kernel on a number of groups. Each argument is a Handle, a uint32
	// or a uint64.
	Launch(kernel string, groups int, args []any) error
	// Drain waits until all commands are done, and returns the error of one that failed.
	Drain() error
	// Times returns the durations of the launches that the last Drain waited for, if they are
	// measured.
	Times() []time.Duration
	// Close frees what the commands need. All commands are done.
	Close()
}

// A queue implements Queue. If the context of a Wait ends before the commands are done, Drain
// continues in a goroutine, and the next Wait waits for it.
type queue struct {
	device   Device
	commands Commands
	draining chan error // nil if no Drain continues
}

// NewQueue returns a queue of a device for the commands of its driver.
func NewQueue(d Device, c Commands) Queue { return &queue{device: d, commands: c} }

// errBusy is returned if the queue is used after the context of a Wait has ended, and before a
// later Wait has returned.
var errBusy = errors.New("gpu: the queue is in use")

func (q *queue) Write(dst Buffer, off int, src []byte) error { return q.copy(dst, off, src, false) }
func (q *queue) Read(dst []byte, src Buffer, off int) error  { return q.copy(src, off, dst, true) }

func (q *queue) copy(b Buffer, off int, host []byte, back bool) error {
	if q.draining != nil {
		return errBusy
	}
	buf, err := q.buffer(b)
	if err != nil {
		return err
	}
	if off < 0 || off > buf.bytes || len(host) > buf.bytes-off {
		return fmt.Errorf("gpu: %d bytes at offset %d of a buffer of %d", len(host), off, buf.bytes)
	}
	if len(host) == 0 {
		return nil
	}
	return q.commands.Copy(buf.handle, off, host, back)
}

// buffer returns b as a buffer of the queue's device that is not freed.
func (q *queue) buffer(b Buffer) (*buffer, error) {
	buf, ok := b.(*buffer)
	if !ok || buf.device != q.device || buf.handle == 0 {
		return nil, fmt.Errorf("gpu: a %T that is no buffer of this device, or was freed", b)
	}
	return buf, nil
}

func (q *queue) Launch(kernel string, n int, args ...any) error {
	if q.draining != nil {
		return errBusy
	}
	if n <= 0 {
		return nil
	}
	groups := (n-1)/Group + 1
	if groups > math.MaxInt32 {
		return fmt.Errorf("gpu: %s: %d work items", kernel, n)
	}
	list := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case nil:
			list[i] = Handle(0)
		case uint32, uint64:
			list[i] = arg
		case Buffer:
			buf, err := q.buffer(arg)
			if err != nil {
				return fmt.Errorf("%s, argument %d: %w", kernel, i, err)
			}
			list[i] = buf.handle
		default:
			return fmt.Errorf("%s, argument %d: gpu: a %T is no argument", kernel, i, arg)
		}
	}
	return q.commands.Launch(kernel, groups, list)
}

// Wait waits until the queue is empty. If ctx can end, another goroutine does the waiting, and
// continues when ctx ends.
func (q *queue) Wait(ctx context.Context) error {
	if q.draining == nil {
		if ctx.Done() == nil {
			return q.commands.Drain()
		}
		ended := make(chan error, 1)
		q.draining = ended
		go func() { ended <- q.commands.Drain() }()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-q.draining:
		q.draining = nil
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queue) Times() []time.Duration { return q.commands.Times() }

func (q *queue) Close() {
	_ = q.Wait(context.Background())
	q.commands.Close()
}
