package opencl

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A queue implements driver.Commands. Each queue creates its own kernel objects. OpenCL stores
// arguments in the kernel object, so queues that shared one would race.
type queue struct {
	*API
	device  *device
	queue   queueID
	kernels map[string]kernelID
	under   []command       // commands since the last Drain
	timed   bool            // whether launches are measured
	times   []time.Duration // durations of the launches that the last Drain waited for
}

// A command is an enqueued copy or launch.
type command struct {
	what   string
	event  eventID
	memory []byte // the host memory of a copy, kept reachable until the copy is done
	launch bool
}

// NewQueue implements driver.Device.
func (d *device) NewQueue(timed bool) (driver.Queue, error) {
	var properties uint64
	if timed {
		properties = queueProfiling
	}
	var code int32
	id := d.CreateCommandQueue(d.context, d.device, properties, &code)
	if err := failure("CreateCommandQueue", code); err != nil {
		return nil, err
	}
	return driver.NewQueue(d, &queue{API: d.API, device: d, queue: id, timed: timed,
		kernels: map[string]kernelID{}}), nil
}

// Copy implements driver.Commands.
func (q *queue) Copy(h driver.Handle, off int, host []byte, back bool) error {
	c := command{what: "EnqueueWriteBuffer", memory: host}
	enqueue := q.EnqueueWriteBuffer
	if back {
		c.what, enqueue = "EnqueueReadBuffer", q.EnqueueReadBuffer
	}
	code := enqueue(q.queue, memoryID(h), 0, uintptr(off), uintptr(len(host)),
		unsafe.Pointer(unsafe.SliceData(host)), 0, 0, &c.event)
	return q.enqueued(c, code)
}

// enqueued records a command. If code, the result of the OpenCL function that enqueued it, is an
// error, it returns the error instead.
func (q *queue) enqueued(c command, code int32) error {
	if err := failure(c.what, code); err != nil {
		return err
	}
	q.under = append(q.under, c)
	// Flush makes the device begin now, while the host continues.
	return failure("Flush", q.Flush(q.queue))
}

// Launch implements driver.Commands.
func (q *queue) Launch(kernel string, groups int, args []any) error {
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
	global := uintptr(groups) * local
	c := command{what: kernel, launch: true}
	code := q.EnqueueNDRangeKernel(q.queue, k, 1, nil, &global, &local, 0, 0, &c.event)
	return q.enqueued(c, code)
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
	case driver.Handle:
		m := memoryID(arg)
		code = q.SetKernelArg(k, index, unsafe.Sizeof(m), unsafe.Pointer(&m))
	}
	return failure("SetKernelArg", code)
}

// Drain waits until the queue is empty, and returns the error of the first command that failed. If
// the OpenCL function Finish fails, commands may still run, so Drain keeps their memory.
func (q *queue) Drain() error {
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

// Times implements driver.Commands.
func (q *queue) Times() []time.Duration { return q.times }

// Close implements driver.Commands.
func (q *queue) Close() {
	for _, k := range q.kernels {
		q.ReleaseKernel(k)
	}
	q.ReleaseCommandQueue(q.queue)
}

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
