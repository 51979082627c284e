package opencl

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A queue implements driver.Queue and driver.TimedQueue. Each queue creates its own kernel objects. OpenCL stores
// arguments in the kernel object, so queues that shared one would race.
type queue struct {
	*API
	device  *device
	queue   queueID
	kernels map[string]kernelID
	under   []command // commands since the last Wait
	wait    driver.Drain
	timed   bool            // whether launches are measured
	times   []time.Duration // durations of the launches that the last Wait waited for
}

// A command is an enqueued copy or launch.
type command struct {
	what   string
	event  eventID
	memory []byte // the host memory of a copy, kept reachable until the copy is done
	launch bool
}

func (d *device) NewQueue() (driver.Queue, error) {
	q, err := d.newQueue(0)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// NewTimedQueue implements driver.Timed.
func (d *device) NewTimedQueue() (driver.TimedQueue, error) {
	q, err := d.newQueue(queueProfiling)
	if err != nil {
		return nil, err
	}
	q.timed = true
	return q, nil
}

// newQueue creates a queue with the given OpenCL properties.
func (d *device) newQueue(properties uint64) (*queue, error) {
	var code int32
	id := d.CreateCommandQueue(d.context, d.device, properties, &code)
	if err := failure("CreateCommandQueue", code); err != nil {
		return nil, err
	}
	return &queue{API: d.API, device: d, queue: id, kernels: map[string]kernelID{}}, nil
}

// errBusy is returned if the queue is used after the context of a Wait has ended, and before a
// later Wait has returned.
var errBusy = errors.New("opencl: the queue is in use")

func (q *queue) Write(dst driver.Buffer, off int, src []byte) error {
	return q.copy("EnqueueWriteBuffer", q.EnqueueWriteBuffer, dst, off, src)
}

func (q *queue) Read(dst []byte, src driver.Buffer, off int) error {
	return q.copy("EnqueueReadBuffer", q.EnqueueReadBuffer, src, off, dst)
}

// copy enqueues a copy between a buffer and host memory.
func (q *queue) copy(what string, enqueue func(q queueID, m memoryID, blocking uint32,
	offset, size uintptr, host unsafe.Pointer, waits uint32, list uintptr, e *eventID) int32,
	b driver.Buffer, off int, host []byte) error {
	if q.wait.Pending() {
		return errBusy
	}
	buf, ok := b.(*buffer)
	if !ok || buf == nil {
		return fmt.Errorf("opencl: a %T is no buffer of this driver", b)
	}
	if err := buf.check(off, len(host)); err != nil || len(host) == 0 {
		return err
	}
	c := command{what: what, memory: host}
	code := enqueue(q.queue, buf.memory, 0, uintptr(off), uintptr(len(host)), pointer(host),
		0, 0, &c.event)
	if err := q.enqueued(c, code); err != nil {
		return err
	}
	// Flush makes the device begin now, while the host continues.
	return failure("Flush", q.Flush(q.queue))
}

// enqueued records a command. If code, the result of the OpenCL function that enqueued it, is an
// error, it returns the error instead.
func (q *queue) enqueued(c command, code int32) error {
	if err := failure(c.what, code); err != nil {
		return err
	}
	q.under = append(q.under, c)
	return nil
}

func (q *queue) Launch(kernel string, n int, args ...any) error {
	if q.wait.Pending() {
		return errBusy
	}
	if n <= 0 {
		return nil
	}
	k, err := q.kernel(kernel)
	if err != nil {
		return err
	}
	for i, arg := range args {
		if err := q.set(k, uint32(i), arg); err != nil {
			return fmt.Errorf("%s, argument %d: %w", kernel, i, err)
		}
	}
	local := uintptr(driver.Group)
	global := (uintptr(n) + local - 1) / local * local
	c := command{what: kernel, launch: true}
	code := q.EnqueueNDRangeKernel(q.queue, k, 1, nil, &global, &local, 0, 0, &c.event)
	if err := q.enqueued(c, code); err != nil {
		return err
	}
	return failure("Flush", q.Flush(q.queue))
}

// kernel returns this queue's kernel object for the named kernel.
func (q *queue) kernel(name string) (kernelID, error) {
	if k, ok := q.kernels[name]; ok {
		return k, nil
	}
	k, code := q.device.kernel(name)
	if err := failure("CreateKernel "+name, code); err != nil {
		return 0, err
	}
	q.kernels[name] = k
	return k, nil
}

// set sets the argument with the given index of a kernel.
func (q *queue) set(k kernelID, index uint32, arg any) error {
	var code int32
	switch arg := arg.(type) {
	case uint32:
		code = q.SetKernelArg(k, index, 4, unsafe.Pointer(&arg))
	case uint64:
		code = q.SetKernelArg(k, index, 8, unsafe.Pointer(&arg))
	case *buffer:
		if arg == nil || arg.memory == 0 {
			return errFreed
		}
		code = q.SetKernelArg(k, index, unsafe.Sizeof(arg.memory), unsafe.Pointer(&arg.memory))
	case nil:
		code = q.SetKernelArg(k, index, unsafe.Sizeof(memoryID(0)), nil)
	default:
		return fmt.Errorf("opencl: a %T is no argument", arg)
	}
	return failure("SetKernelArg", code)
}

// Wait waits until the queue is empty. If ctx can end, another goroutine does the waiting, and
// continues when ctx ends.
func (q *queue) Wait(ctx context.Context) error {
	return q.wait.Wait(ctx, q.drain)
}

// drain waits until the queue is empty, and returns the error of the first command that failed. If
// the OpenCL function Finish fails, commands may still run, so drain keeps their memory.
func (q *queue) drain() error {
	err := failure("Finish", q.Finish(q.queue))
	if err != nil {
		return err
	}
	q.times = q.times[:0]
	for _, c := range q.under {
		var status int32
		code := q.GetEventInfo(c.event, eventStatus, 4, unsafe.Pointer(&status), nil)
		if err == nil {
			err = failure("GetEventInfo", code)
		}
		if err == nil {
			err = failure(c.what, status)
		}
		if err == nil && q.timed && c.launch {
			err = q.note(&c)
		}
		q.ReleaseEvent(c.event)
	}
	clear(q.under)
	q.under = q.under[:0]
	return err
}

// Close waits until the queue is empty, and frees it.
func (q *queue) Close() {
	_ = q.Wait(context.Background())
	for _, k := range q.kernels {
		q.ReleaseKernel(k)
	}
	q.ReleaseCommandQueue(q.queue)
}

// Times implements driver.TimedQueue.
func (q *queue) Times() []time.Duration { return q.times }

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
