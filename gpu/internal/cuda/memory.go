package cuda

import (
	"fmt"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A buffer implements driver.Buffer.
type buffer struct {
	device *device
	at     Pointer // device address, or 0 after Free
	bytes  int
}

func (d *device) Alloc(bytes int) (driver.Buffer, error) {
	if bytes < 1 {
		return nil, fmt.Errorf("cuda: a buffer of %d bytes", bytes)
	}
	b := &buffer{device: d, bytes: bytes}
	err := d.do(func() error {
		return d.failure("MemAlloc", d.MemAlloc(&b.at, uintptr(bytes)))
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (b *buffer) Free() {
	if b.at == 0 {
		return
	}
	_ = b.device.do(func() error {
		return b.device.failure("MemFree", b.device.MemFree(b.at))
	})
	b.at, b.bytes = 0, 0
}

// A hostMemory implements driver.HostMemory with pinned memory. Only copies from and to pinned
// memory run in the background.
type hostMemory struct {
	device *device
	bytes  []byte
}

func (d *device) AllocHost(bytes int) (driver.HostMemory, error) {
	if bytes < 1 {
		return nil, fmt.Errorf("cuda: %d bytes of pinned memory", bytes)
	}
	var p unsafe.Pointer
	err := d.do(func() error {
		return d.failure("MemHostAlloc", d.MemHostAlloc(&p, uintptr(bytes), 0))
	})
	if err != nil {
		return nil, err
	}
	return &hostMemory{d, unsafe.Slice((*byte)(p), bytes)}, nil
}

func (h *hostMemory) Bytes() []byte { return h.bytes }

func (h *hostMemory) Free() {
	if h.bytes == nil {
		return
	}
	d := h.device
	_ = d.do(func() error {
		return d.failure("MemFreeHost", d.MemFreeHost(unsafe.Pointer(unsafe.SliceData(h.bytes))))
	})
	h.bytes = nil
}
