package cudatest

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

func (d *Driver) alloc(p *cuda.Pointer, n uintptr) cuda.Result {
	return d.call("MemAlloc", true, func() cuda.Result {
		addr, err := d.memory.Alloc(int(n))
		if err != nil {
			return cuda.ErrorOutOfMemory
		}
		*p = cuda.Pointer(addr)
		return cuda.Success
	})
}

func (d *Driver) free(p cuda.Pointer) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.enter("MemFree", true)
	if err := d.memory.Free(uint64(p)); err != nil {
		d.fault("%w", err)
		return cuda.ErrorInvalidValue
	}
	return r
}

func (d *Driver) hostAlloc(p *unsafe.Pointer, n uintptr, flags uint32) cuda.Result {
	return d.call("MemHostAlloc", true, func() cuda.Result {
		if n > uintptr(d.Memory) {
			return cuda.ErrorOutOfMemory
		}
		b := bytes.Repeat([]byte{0x5a}, int(n))
		*p = unsafe.Pointer(&b[0])
		d.pinned[*p] = b
		return cuda.Success
	})
}

func (d *Driver) hostFree(p unsafe.Pointer) cuda.Result {
	return remove(d, "MemFreeHost", d.pinned, p, nil)
}

// isPinned reports whether the n bytes of host memory at p are pinned. The caller holds d.mu.
func (d *Driver) isPinned(p unsafe.Pointer, n uintptr) bool {
	for start, b := range d.pinned {
		off := uintptr(p) - uintptr(start)
		if uintptr(p) >= uintptr(start) && off < uintptr(len(b)) && uintptr(len(b))-off >= n {
			return true
		}
	}
	return false
}

// host returns the n bytes of host memory at p, and reports whether they are pinned. The function
// still checks, when the device copies them, that pinned memory was not freed.
func (d *Driver) host(p unsafe.Pointer, n uintptr) (b []byte, pinned bool, still func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pinned = d.isPinned(p, n)
	return unsafe.Slice((*byte)(p), n), pinned, func() error {
		if pinned && !d.isPinned(p, n) {
			return errors.New("a copy from or to pinned memory that was freed")
		}
		return nil
	}
}

// enqueue adds work to a stream.
func (d *Driver) enqueue(name string, s cuda.Stream, work func() error) cuda.Result {
	return d.call(name, true, func() cuda.Result {
		st, ok := d.streams[s]
		if !ok {
			d.fault("%s: stream %#x is none", name, s)
			return cuda.ErrorInvalidHandle
		}
		st.work = append(st.work, work)
		return cuda.Success
	})
}

func (d *Driver) toDevice(to cuda.Pointer, from unsafe.Pointer, n uintptr,
	s cuda.Stream) cuda.Result {
	src, pinned, still := d.host(from, n)
	if !pinned { // the driver copies it before it returns
		src = bytes.Clone(src)
	}
	return d.enqueue("MemcpyHtoDAsync", s, func() error {
		dst, err := d.memory.Bytes(uint64(to), int(n))
		copy(dst, src)
		return errors.Join(err, still())
	})
}

func (d *Driver) toHost(to unsafe.Pointer, from cuda.Pointer, n uintptr,
	s cuda.Stream) cuda.Result {
	dst, pinned, still := d.host(to, n)
	r := d.enqueue("MemcpyDtoHAsync", s, func() error {
		src, err := d.memory.Bytes(uint64(from), int(n))
		copy(dst, src)
		return errors.Join(err, still())
	})
	if r == cuda.Success && !pinned { // the driver returns after the copy
		d.mu.Lock()
		defer d.mu.Unlock()
		r = d.run(d.streams[s])
	}
	return r
}

func (d *Driver) launch(f cuda.Function, gx, gy, gz, bx, by, bz, shared uint32,
	s cuda.Stream, params unsafe.Pointer, extra *cuda.LaunchExtra) cuda.Result {
	var block []byte
	if params == nil && extra != nil && extra.BufferKey == 1 && extra.SizeKey == 2 &&
		extra.End == 0 && extra.Size != nil {
		// The driver copies the parameters before LaunchKernel returns.
		block = bytes.Clone(unsafe.Slice((*byte)(extra.Buffer), *extra.Size))
	}
	d.mu.Lock()
	k, ok := d.kernels[f]
	if !ok || k.module.unloaded {
		d.fault("function %#x is none", f)
		d.mu.Unlock()
		return cuda.ErrorInvalidHandle
	}
	if len(block) != k.kernel.ParamSize || shared != 0 || gy|gz|by|bz != 1 {
		d.fault("%s: %d bytes of parameters instead of %d, %d of shared memory, and %v for y and z",
			k.kernel.Name, len(block), k.kernel.ParamSize, shared, [4]uint32{gy, gz, by, bz})
		d.mu.Unlock()
		return cuda.ErrorInvalidValue
	}
	d.mu.Unlock()
	return d.enqueue("LaunchKernel", s, func() error {
		l := ptx.Launch{Groups: gx, Items: bx, Params: block}
		if d.Counted != nil {
			l.Counts = d.Counted[k.kernel.Name]
			if l.Counts == nil {
				l.Counts = new(ptx.Counts)
				d.Counted[k.kernel.Name] = l.Counts
			}
		}
		n, err := k.module.image.Run(k.kernel, l)
		d.instructions += n
		return err
	})
}

func (d *Driver) streamCreate(s *cuda.Stream, flags uint32) cuda.Result {
	return d.call("StreamCreate", true, func() cuda.Result {
		*s = cuda.Stream(d.next())
		d.streams[*s] = new(stream)
		return cuda.Success
	})
}

// run carries out the work of a stream. If that fails, all later calls of driver functions fail
// too.
func (d *Driver) run(st *stream) cuda.Result {
	for _, work := range st.work {
		if d.sticky != cuda.Success {
			break
		}
		if err := work(); err != nil {
			d.faults = append(d.faults, err)
			d.sticky = cuda.ErrorIllegalAddress
		}
	}
	st.work = nil
	return d.sticky
}

func (d *Driver) streamDestroy(s cuda.Stream) cuda.Result {
	return remove(d, "StreamDestroy", d.streams, s, func(st *stream) { d.run(st) })
}
