package opencl

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A buffer implements driver.Buffer.
type buffer struct {
	*API
	memory memoryID // memory object, or 0 after Free
	size   int
}

func (d *device) Alloc(bytes int) (driver.Buffer, error) {
	m, err := d.create(bytes, memoryReadWrite)
	if err != nil {
		return nil, err
	}
	return &buffer{d.API, m, bytes}, nil
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

func (b *buffer) Free() {
	if b.memory != 0 {
		b.ReleaseMemObject(b.memory)
	}
	b.memory, b.size = 0, 0
}

// errFreed is returned if a buffer is used after Free.
var errFreed = errors.New("opencl: the buffer is freed")

// check returns an error unless the n bytes at the offset lie inside the buffer.
func (b *buffer) check(offset, n int) error {
	if b.memory == 0 {
		return errFreed
	}
	if offset < 0 || n > b.size-offset {
		return fmt.Errorf("opencl: %d bytes at %d of a buffer of %d", n, offset, b.size)
	}
	return nil
}

// A hostMemory implements driver.HostMemory. It is an OpenCL memory object that the driver
// allocates in host memory and that stays mapped; kernels never use it. Drivers of GPUs pin such
// memory, and copy directly from and to it. Drivers of CPUs use ordinary memory.
type hostMemory struct {
	*device
	memory memoryID
	bytes  []byte
}

func (d *device) AllocHost(bytes int) (driver.HostMemory, error) {
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
	return &hostMemory{d, m, unsafe.Slice((*byte)(at), bytes)}, nil
}

func (h *hostMemory) Bytes() []byte { return h.bytes }

func (h *hostMemory) Free() {
	if h.bytes == nil {
		return
	}
	// If unmapping fails, the memory is freed with the context.
	_ = h.briefly(func(q queueID) error {
		return failure("EnqueueUnmapMemObject",
			h.EnqueueUnmapMemObject(q, h.memory, pointer(h.bytes), 0, 0, 0))
	})
	h.ReleaseMemObject(h.memory)
	h.bytes = nil
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

// pointer returns the address of the first byte of b, which must not be empty.
func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
