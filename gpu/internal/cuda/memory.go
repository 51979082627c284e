package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

func (d *device) Alloc(bytes int) (driver.Buffer, error) {
	if bytes < 1 {
		return nil, fmt.Errorf("cuda: a buffer of %d bytes", bytes)
	}
	var at Pointer
	err := d.do(func() error {
		return d.failure("MemAlloc", d.MemAlloc(&at, uintptr(bytes)))
	})
	if err != nil {
		return nil, err
	}
	return driver.NewBuffer(d, driver.Handle(at), bytes, func(h driver.Handle) {
		_ = d.do(func() error { return d.failure("MemFree", d.MemFree(Pointer(h))) })
	}), nil
}

// AllocHost allocates pinned memory. Only copies from and to pinned memory run in the background.
func (d *device) AllocHost(bytes int) (*driver.HostMemory, error) {
	if bytes < 1 {
		return nil, fmt.Errorf("cuda: %d bytes of pinned memory", bytes)
	}
	var p unsafe.Pointer
	err := d.do(func() error {
		return d.failure("MemHostAlloc", d.MemHostAlloc(&p, uintptr(bytes), 0))
	})
	if err == nil && p == nil {
		err = errors.New("cuda: MemHostAlloc: no memory")
	}
	if err != nil {
		return nil, err
	}
	return driver.NewHostMemory(unsafe.Slice((*byte)(p), bytes), func() {
		_ = d.do(func() error { return d.failure("MemFreeHost", d.MemFreeHost(p)) })
	}), nil
}
