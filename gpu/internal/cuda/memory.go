package cuda

import (
	"fmt"
	"slices"
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
	h := &hostMemory{device: d}
	err := d.do(func() (err error) {
		h.bytes, err = d.pin(bytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pinned = append(d.pinned, h)
	return h, nil
}

// pin allocates pinned memory. The device's context must be current.
func (d *device) pin(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := d.failure("MemHostAlloc", d.MemHostAlloc(&p, uintptr(bytes), 0)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

// unpin frees pinned memory. The device's context must be current.
func (d *device) unpin(b []byte) {
	d.MemFreeHost(unsafe.Pointer(unsafe.SliceData(b)))
}

func (h *hostMemory) Bytes() []byte { return h.bytes }

func (h *hostMemory) Free() {
	if h.bytes == nil {
		return
	}
	d := h.device
	d.mu.Lock()
	d.pinned = slices.DeleteFunc(d.pinned, func(p *hostMemory) bool { return p == h })
	d.mu.Unlock()
	_ = d.do(func() error {
		d.unpin(h.bytes)
		return nil
	})
	h.bytes = nil
}

// isPinned reports whether b lies inside a single allocation of AllocHost. b must not be empty.
func (d *device) isPinned(b []byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := address(b)
	return slices.ContainsFunc(d.pinned, func(h *hostMemory) bool {
		begin := address(h.bytes)
		return at >= begin && at-begin <= uintptr(len(h.bytes)) &&
			uintptr(len(b)) <= uintptr(len(h.bytes))-(at-begin)
	})
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
