package cudatest

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
)

const text = ".version 6.3\n.target sm_75\n.address_size 64\n" +
	".entry k(.param .u32 a, .param .u64 b)\n{\nret;\n}\n" +
	".entry bad()\n{\n.reg .b64 %d;\nmov.u64 %d, 0;\nst.global.u32 [%d], 1;\n}\n"

// start returns a driver with a current context on this thread, a module and a stream.
func start(t *testing.T) (*Driver, *cuda.API, cuda.ModuleID, cuda.Stream) {
	t.Helper()
	// A context belongs to a thread, so the test must stay on its thread.
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	d := New()
	a := d.API()
	var c cuda.Context
	var m cuda.ModuleID
	var s cuda.Stream
	image, log := append([]byte(text), 0), make([]byte, 64)
	p := unsafe.Pointer(&log[0])
	if a.Init(0) != 0 || a.DevicePrimaryCtxRetain(&c, 0) != 0 || a.CtxPushCurrent(c) != 0 ||
		a.ModuleLoadDataEx(&m, &image[0], 4, &cuda.JITOptions{3, 4, 5, 6},
			&cuda.JITValues{InfoLog: p, InfoSize: 64, ErrorLog: p, ErrorSize: 64}) != 0 ||
		a.StreamCreate(&s, 0) != 0 {
		t.Fatal("the driver does not start")
	}
	return d, a, m, s
}

type result = cuda.Result

// TestMisuse checks that Err reports each kind of misuse of the driver.
func TestMisuse(t *testing.T) {
	var size uintptr
	for name, c := range map[string]struct {
		do   func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result
		want string
	}{
		"freed twice": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			var p cuda.Pointer
			a.MemAlloc(&p, 8)
			a.MemFree(p)
			return a.MemFree(p)
		}, "is freed twice"},
		"pinned freed twice": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			var p unsafe.Pointer
			a.MemHostAlloc(&p, 8, 0)
			a.MemFreeHost(p)
			return a.MemFreeHost(p)
		}, "MemFreeHost: 0x"},
		"freed while in use": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			var p cuda.Pointer
			var h unsafe.Pointer
			a.MemAlloc(&p, 8)
			a.MemHostAlloc(&h, 8, 0)
			a.MemcpyHtoDAsync(p, h, 8, s)
			a.MemFree(p)
			return wait(a, s)
		}, "memory that was freed"},
		"too long": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			var p cuda.Pointer
			var h unsafe.Pointer
			a.MemAlloc(&p, 8)
			a.MemHostAlloc(&h, 16, 0)
			a.MemcpyDtoHAsync(h, p+1, 8, s)
			return wait(a, s)
		}, "offset 1 of an allocation of 8"},
		"pinned, freed in use": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			var p cuda.Pointer
			var h unsafe.Pointer
			a.MemAlloc(&p, 8)
			a.MemHostAlloc(&h, 8, 0)
			a.MemcpyHtoDAsync(p, h, 8, s)
			a.MemFreeHost(h)
			return wait(a, s)
		}, "pinned memory that was freed"},
		"parameters": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			size = 12
			return run(a, m, s, "k", &size)
		}, "12 bytes of parameters instead of 16"},
		"kernel": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			size = 0
			if r := run(a, m, s, "bad", &size); r != 0 {
				return r
			}
			return wait(a, s)
		}, "outside of every allocation"},
		"stream": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			a.StreamDestroy(s)
			size = 16
			return run(a, m, s, "k", &size)
		}, "is none"},
		"module": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			a.ModuleUnload(m)
			return a.ModuleUnload(m)
		}, "is none"},
		"event": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			return a.EventDestroy(5)
		}, "is none"},
		"context": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			a.DevicePrimaryCtxRelease(0)
			var p cuda.Pointer
			return a.MemAlloc(&p, 8)
		}, "without a context"},
		"context released twice": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			a.DevicePrimaryCtxRelease(0)
			return a.DevicePrimaryCtxRelease(0)
		}, "released too often"},
		"before Init": {func(d *Driver, a *cuda.API, m cuda.ModuleID, s cuda.Stream) result {
			d.started = false
			var n int32
			return a.DeviceGetCount(&n)
		}, "before Init"},
	} {
		d, a, m, s := start(t)
		if r := c.do(d, a, m, s); r == cuda.Success {
			t.Errorf("%s: success", name)
		}
		if err := d.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: fault %v, want %q", name, err, c.want)
		}
	}
}

// wait waits until a stream is empty.
func wait(a *cuda.API, s cuda.Stream) cuda.Result {
	var e cuda.Event
	if r := a.EventCreate(&e, 0); r != cuda.Success {
		return r
	}
	defer a.EventDestroy(e)
	if r := a.EventRecord(e, s); r != cuda.Success {
		return r
	}
	return a.EventSynchronize(e)
}

// run launches one work item of a kernel, with a block of parameters of the given size.
func run(a *cuda.API, m cuda.ModuleID, s cuda.Stream, name string, size *uintptr) cuda.Result {
	var f cuda.Function
	if r := a.ModuleGetFunction(&f, m, name); r != cuda.Success {
		return r
	}
	var block [16]byte
	return a.LaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, nil, &cuda.LaunchExtra{
		BufferKey: 1, Buffer: unsafe.Pointer(&block), SizeKey: 2, Size: size})
}

// TestLater checks that the driver carries out copies only when the host waits for them.
func TestLater(t *testing.T) {
	d, a, _, s := start(t)
	var p cuda.Pointer
	var h unsafe.Pointer
	if a.MemAlloc(&p, 1) != 0 || a.MemHostAlloc(&h, 1, 0) != 0 {
		t.Fatal("no memory")
	}
	b := (*byte)(h)
	*b = 1
	a.MemcpyHtoDAsync(p, h, 1, s)
	*b = 2 // before the driver has made the copy to the device
	a.MemcpyDtoHAsync(h, p, 1, s)
	*b = 3 // the driver overwrites it with the copy from the device
	if r := wait(a, s); r != 0 || *b != 3 {
		t.Errorf("%d, %d", r, *b)
	}
	if d.Leaks() == nil {
		t.Error("nothing is left, and nothing was freed")
	}
	if err := d.Err(); err != nil {
		t.Error(err)
	}
}

// TestCounted checks that the instructions of each launch are counted.
func TestCounted(t *testing.T) {
	d, a, m, s := start(t)
	size := uintptr(16)
	for n := range uint64(3) {
		if run(a, m, s, "k", &size) != 0 || wait(a, s) != 0 || d.Counted["k"].Instructions != n+1 {
			t.Fatalf("launch %d: counted %+v, %v", n, d.Counted["k"], d.Err())
		}
	}
}
