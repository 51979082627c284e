package opencl

import (
	"errors"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

func (d *device) Alloc(bytes int) (driver.Buffer, error) {
	m, err := d.create(bytes, memoryReadWrite)
	if err != nil {
		return nil, err
	}
	return driver.NewBuffer(d, driver.Handle(m), bytes, func(driver.Handle) {
		d.ReleaseMemObject(m)
	}), nil
}

// create creates a memory object.
func (d *device) create(bytes int, flags uint64) (memoryID, error) {
	if bytes < 1 {
		return 0, &Error{"CreateBuffer", codeBufferSize}
	}
	var code int32
	m := d.CreateBuffer(d.context, flags, uintptr(bytes), nil, &code)
	return m, failure("CreateBuffer", code)
}

// AllocHost allocates an OpenCL memory object in host memory, which stays mapped; kernels never use
// it. Drivers of GPUs pin such memory, and copy directly from and to it. Drivers of CPUs use
// ordinary memory.
func (d *device) AllocHost(bytes int) (*driver.HostMemory, error) {
	m, err := d.create(bytes, memoryReadWrite|memoryAllocHost)
	if err != nil {
		return nil, err
	}
	var at unsafe.Pointer
	err = d.briefly(func(q queueID) error {
		var code int32
		at = d.EnqueueMapBuffer(q, m, 1, mapReadWrite, 0, uintptr(bytes), 0, 0, 0, &code)
		if err := failure("EnqueueMapBuffer", code); err != nil {
			return err
		}
		if at == nil {
			return errors.New("opencl: EnqueueMapBuffer: no memory")
		}
		return nil
	})
	if err != nil {
		d.ReleaseMemObject(m)
		return nil, err
	}
	return driver.NewHostMemory(unsafe.Slice((*byte)(at), bytes), func() {
		// If unmapping fails, the memory is freed with the context.
		_ = d.briefly(func(q queueID) error {
			return failure("EnqueueUnmapMemObject", d.EnqueueUnmapMemObject(q, m, at, 0, 0, 0))
		})
		d.ReleaseMemObject(m)
	}), nil
}

// briefly creates a queue, calls f with it, waits until the queue is empty, and frees the queue.
func (d *device) briefly(f func(q queueID) error) error {
	var code int32
	q := d.CreateCommandQueue(d.context, d.device, 0, &code)
	if err := failure("CreateCommandQueue", code); err != nil {
		return err
	}
	err := f(q)
	if err == nil {
		err = failure("Finish", d.Finish(q))
	}
	d.ReleaseCommandQueue(q)
	return err
}
