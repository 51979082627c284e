package cudatest

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

func (d *Driver) alloc(p *cuda.Pointer, n uintptr) cuda.Result {
	addr, err := d.memory.Alloc(int(n))
	if err != nil {
		return cuda.ErrorOutOfMemory
	}
	*p = cuda.Pointer(addr)
	return cuda.Success
}

func (d *Driver) free(p cuda.Pointer) cuda.Result {
	if err := d.memory.Free(uint64(p)); err != nil {
		d.fault("%w", err)
		return cuda.ErrorInvalidValue
	}
	return cuda.Success
}

func (d *Driver) hostAlloc(p *unsafe.Pointer, n uintptr, _ uint32) cuda.Result {
	if n > uintptr(d.Memory) {
		return cuda.ErrorOutOfMemory
	}
	b := bytes.Repeat([]byte{0x5a}, int(n))
	*p = unsafe.Pointer(&b[0])
	d.pinned[*p] = b
	return cuda.Success
}

func (d *Driver) hostFree(p unsafe.Pointer) cuda.Result {
	return remove(d, "MemFreeHost", d.pinned, p)
}

// isPinned reports whether the n bytes of host memory at p are pinned.
func (d *Driver) isPinned(p unsafe.Pointer, n uintptr) bool {
	for start, b := range d.pinned {
		off := uintptr(p) - uintptr(start)
		if uintptr(p) >= uintptr(start) && off < uintptr(len(b)) && uintptr(len(b))-off >= n {
			return true
		}
	}
	return false
}

// enqueue adds work to a stream. It returns an error if n bytes of host memory at p were pinned
// when the work was enqueued, and are not when the work is done.
func (d *Driver) enqueue(name string, s cuda.Stream, p unsafe.Pointer, n uintptr,
	work func() error) cuda.Result {
	st, ok := d.streams[s]
	if !ok {
		d.fault("%s: stream %#x is none", name, s)
		return cuda.ErrorInvalidHandle
	}
	pinned := d.isPinned(p, n)
	st.work = append(st.work, func() error {
		if pinned && !d.isPinned(p, n) {
			return errors.New("a copy from or to pinned memory that was freed")
		}
		return work()
	})
	return cuda.Success
}

func (d *Driver) toDevice(to cuda.Pointer, from unsafe.Pointer, n uintptr,
	s cuda.Stream) cuda.Result {
	src := unsafe.Slice((*byte)(from), n)
	if !d.isPinned(from, n) { // the driver copies it before it returns
		src = bytes.Clone(src)
	}
	return d.enqueue("MemcpyHtoDAsync", s, from, n, func() error {
		dst, err := d.memory.Bytes(uint64(to), int(n))
		copy(dst, src)
		return err
	})
}

func (d *Driver) toHost(to unsafe.Pointer, from cuda.Pointer, n uintptr,
	s cuda.Stream) cuda.Result {
	r := d.enqueue("MemcpyDtoHAsync", s, to, n, func() error {
		src, err := d.memory.Bytes(uint64(from), int(n))
		copy(unsafe.Slice((*byte)(to), n), src)
		return err
	})
	if r == cuda.Success && !d.isPinned(to, n) { // the driver returns after the copy
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
	k, ok := d.kernels[f]
	if !ok || k.module.unloaded {
		d.fault("function %#x is none", f)
		return cuda.ErrorInvalidHandle
	}
	if len(block) != k.kernel.ParamSize || shared != 0 || gy|gz|by|bz != 1 {
		d.fault("%s: %d bytes of parameters instead of %d, %d of shared memory, and %v for y and z",
			k.kernel.Name, len(block), k.kernel.ParamSize, shared, [4]uint32{gy, gz, by, bz})
		return cuda.ErrorInvalidValue
	}
	return d.enqueue("LaunchKernel", s, nil, 0, func() error {
		n, err := k.module.text.Run(d.memory, k.kernel, ptx.Launch{Groups: gx, Items: bx, Params: block})
		d.instructions += n.Instructions
		sum := d.Counted[k.kernel.Name]
		d.Counted[k.kernel.Name] = ptx.Counts{Instructions: sum.Instructions + n.Instructions,
			Products: sum.Products + n.Products}
		return err
	})
}

func (d *Driver) streamCreate(s *cuda.Stream, _ uint32) cuda.Result {
	*s = cuda.Stream(d.next())
	d.streams[*s] = new(stream)
	return cuda.Success
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
	if st := d.streams[s]; st != nil {
		d.run(st)
	}
	return remove(d, "StreamDestroy", d.streams, s)
}
