package cudatest

import (
	"bytes"
	"errors"
	"time"
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
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.enter("MemFreeHost", true)
	if _, ok := d.pinned[p]; !ok {
		d.fault("%p is no pinned memory", p)
		return cuda.ErrorInvalidValue
	}
	delete(d.pinned, p)
	return r
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
	if !ok || d.modules[d.moduleOf(k)] == nil {
		d.fault("function %#x is none", f)
		d.mu.Unlock()
		return cuda.ErrorInvalidHandle
	}
	if len(block) != k.kernel.ParamSize || shared != 0 {
		d.fault("%s: %d bytes of parameters instead of %d, and %d of shared memory", k.kernel.Name,
			len(block), k.kernel.ParamSize, shared)
		d.mu.Unlock()
		return cuda.ErrorInvalidValue
	}
	d.mu.Unlock()
	return d.enqueue("LaunchKernel", s, func() error {
		l := ptx.Launch{Groups: [3]uint32{gx, gy, gz}, Items: [3]uint32{bx, by, bz},
			Params: block, Counts: d.counts(k.kernel.Name)}
		n, err := k.module.image.Run(k.kernel, l)
		d.instructions += n
		return err
	})
}

// moduleOf returns the handle of a kernel's module, or 0 if the module is unloaded.
func (d *Driver) moduleOf(k *kernel) cuda.ModuleID {
	for id, m := range d.modules {
		if k != nil && m == k.module {
			return id
		}
	}
	return 0
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
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.enter("StreamDestroy", true)
	st, ok := d.streams[s]
	if !ok {
		d.fault("stream %#x is none", s)
		return cuda.ErrorInvalidHandle
	}
	d.run(st)
	delete(d.streams, s)
	return r
}

func (d *Driver) eventCreate(e *cuda.Event, flags uint32) cuda.Result {
	return d.call("EventCreate", true, func() cuda.Result {
		*e = cuda.Event(d.next())
		d.events[*e] = 0
		if flags&cuda.EventDisableTiming == 0 {
			d.stamps[*e] = stamp{}
		}
		return cuda.Success
	})
}

func (d *Driver) eventRecord(e cuda.Event, s cuda.Stream) cuda.Result {
	return d.call("EventRecord", true, func() cuda.Result {
		_, known := d.events[e]
		if d.streams[s] == nil || !known {
			d.fault("event %#x or stream %#x is none", e, s)
			return cuda.ErrorInvalidHandle
		}
		d.events[e] = s
		d.stamped(e, s)
		return cuda.Success
	})
}

func (d *Driver) eventSynchronize(e cuda.Event) cuda.Result {
	var executed uint64
	defer func() { time.Sleep(d.time(executed)) }()
	return d.call("EventSynchronize", true, func() cuda.Result {
		st := d.streams[d.events[e]]
		if st == nil {
			d.fault("event %#x is none, or was never recorded", e)
			return cuda.ErrorInvalidHandle
		}
		before := d.instructions
		result := d.run(st)
		executed = d.instructions - before
		return result
	})
}

func (d *Driver) eventDestroy(e cuda.Event) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.enter("EventDestroy", true)
	if _, ok := d.events[e]; !ok {
		d.fault("event %#x is none", e)
		return cuda.ErrorInvalidHandle
	}
	delete(d.events, e)
	delete(d.stamps, e)
	return r
}
