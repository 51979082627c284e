// Package cudatest simulates a CUDA driver for tests. It runs kernels in the interpreter of package
// ptx. As with a real driver, copies and launches are carried out some time after they are
// enqueued: here, when the host waits for an event or destroys the stream. So a test fails if the
// code under test reuses memory too early.
//
// It reports mistakes that a real driver might not notice: calls without the context, parameters of
// the wrong size, and freeing twice.
package cudatest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"
)

// A Driver is a simulated CUDA driver with one device. Tests set its exported fields before they
// use it.
type Driver struct {
	Version      int32 // such as 12040 for CUDA 12.4
	Major, Minor int32 // compute capability
	Count        int32 // number of devices; all of them are the same device
	Units        int32 // number of multiprocessors
	Memory       int   // bytes of device memory
	NoClock      bool  // have no clock rate

	// Pace is the time that a million instructions of a kernel take, which tests measure with the
	// clock of package testing/synctest.
	Pace time.Duration

	// Counted has the numbers of executed instructions of each kernel.
	Counted map[string]ptx.Counts

	mu       sync.Mutex
	memory   *ptx.Memory
	started  bool
	retained int
	current  map[int]int // for each thread, how many times the context is pushed
	handle   uintptr     // the handle that was returned last
	modules  map[cuda.ModuleID]*module
	kernels  map[cuda.Function]*kernel
	pinned   map[unsafe.Pointer][]byte
	streams  map[cuda.Stream]*stream
	events   map[cuda.Event]*event
	sticky   cuda.Result // after a kernel has failed, every call returns this

	calls        int
	loseAt       int // number of the call that loses the device
	faults       []error
	compiled     int
	instructions uint64
	owed         time.Duration // how long the current call takes
}

type module struct {
	text     *ptx.Module
	unloaded bool
}

type kernel struct {
	module *module
	kernel *ptx.Kernel
}

// A stream holds the work that was enqueued and is not done yet.
type stream struct {
	work []func() error
}

// theContext is the primary context of the only device.
const theContext = 0x1000

// New returns a driver for CUDA 12.4 with one device of compute capability 9.0.
func New() *Driver {
	return &Driver{Version: 12040, Major: 9, Count: 1, Units: 1, Memory: 1 << 30,
		Counted: make(map[string]ptx.Counts),
		current: make(map[int]int),
		modules: make(map[cuda.ModuleID]*module),
		kernels: make(map[cuda.Function]*kernel),
		pinned:  make(map[unsafe.Pointer][]byte),
		streams: make(map[cuda.Stream]*stream),
		events:  make(map[cuda.Event]*event),
	}
}

// LoseAt makes the k-th call from now on fail with ErrorLaunchFailed, and all later ones that need
// the context: the device is lost.
func (d *Driver) LoseAt(k int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loseAt = d.calls + k
}

// Compiled returns how many texts of PTX the driver has had to compile.
func (d *Driver) Compiled() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compiled
}

// Cubin returns PTX in the form that the driver takes for machine code. It stands for code compiled
// for devices of the given compute capability.
func Cubin(ptx string, major, minor int) []byte {
	return fmt.Appendf(nil, "\x7fELF%d.%d\n%s", major, minor, ptx)
}

// Err returns the mistakes that the caller and the kernels have made since the last call of Err.
func (d *Driver) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := errors.Join(d.faults...)
	d.faults = nil
	return err
}

// Leaks returns an error if the caller has not freed everything that it allocated, loaded or
// created.
func (d *Driver) Leaks() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	used := 0
	if d.memory != nil {
		used = d.memory.Used()
	}
	current := 0
	for _, pushed := range d.current {
		current += pushed
	}
	if used+d.retained+current+len(d.modules)+len(d.pinned)+len(d.streams)+len(d.events) == 0 {
		return nil
	}
	return fmt.Errorf("cudatest: left: %d bytes, %d contexts, pushed %d times, %d modules, "+
		"%d pieces of pinned memory, %d streams, %d events", used, d.retained, current,
		len(d.modules), len(d.pinned), len(d.streams), len(d.events))
}

// Names of functions that need no current context, and of those that free something, even if the
// device is lost.
var (
	withoutContext = []string{"Init", "DriverGetVersion", "DeviceGetCount", "DeviceGet",
		"DeviceGetName", "DeviceTotalMem", "DeviceGetAttribute", "DevicePrimaryCtxRetain",
		"DevicePrimaryCtxRelease", "CtxPushCurrent", "CtxPopCurrent"}
	frees = []string{"DevicePrimaryCtxRelease", "CtxPopCurrent", "ModuleUnload", "MemFree",
		"MemFreeHost", "StreamDestroy", "EventDestroy"}
)

// checked returns a function that checks what all calls must fulfil and calls f, the driver
// function with the given name, while it holds d.mu.
func (d *Driver) checked(name string, f reflect.Value) reflect.Value {
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		d.mu.Lock()
		result := d.enter(name)
		if result == cuda.Success || slices.Contains(frees, name) {
			if r := f.Call(args)[0].Interface().(cuda.Result); r != cuda.Success {
				result = r
			}
		}
		owed := d.owed
		d.owed = 0
		d.mu.Unlock()
		time.Sleep(owed)
		return []reflect.Value{reflect.ValueOf(result)}
	})
}

// enter counts a call of a driver function and checks its preconditions. If the call must fail,
// enter returns the Result to return.
func (d *Driver) enter(name string) cuda.Result {
	d.calls++
	if d.calls == d.loseAt {
		d.sticky = cuda.ErrorLaunchFailed
		return d.sticky
	}
	if !d.started && name != "Init" {
		d.fault("%s before Init", name)
		return cuda.ErrorNotInitialized
	}
	if slices.Contains(withoutContext, name) {
		return cuda.Success
	}
	if d.retained == 0 || d.current[thread()] == 0 {
		d.fault("%s on a thread without a context", name)
		return cuda.ErrorInvalidContext
	}
	return d.sticky
}

// remove does the work of a driver function that frees, unloads or destroys the object with the
// given key.
func remove[K comparable, V any](d *Driver, name string, from map[K]V, key K) cuda.Result {
	if _, ok := from[key]; !ok {
		d.fault("%s: %v is none", name, key)
		return cuda.ErrorInvalidHandle
	}
	delete(from, key)
	return cuda.Success
}

func (d *Driver) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Errorf("cudatest: "+format, args...))
}

func (d *Driver) next() uintptr {
	d.handle += 16
	return d.handle
}

// API returns the driver's functions.
func (d *Driver) API() *cuda.API {
	a := &cuda.API{
		Init:                    d.init,
		DriverGetVersion:        d.version,
		DeviceGetCount:          d.count,
		DeviceGet:               d.device,
		DeviceGetName:           d.name,
		DeviceTotalMem:          d.total,
		DeviceGetAttribute:      d.attribute,
		DevicePrimaryCtxRetain:  d.retain,
		DevicePrimaryCtxRelease: d.release,
		CtxPushCurrent:          d.push,
		CtxPopCurrent:           d.pop,
		ModuleLoadDataEx:        d.load,
		ModuleUnload:            d.unload,
		ModuleGetFunction:       d.function,
		MemAlloc:                d.alloc,
		MemFree:                 d.free,
		MemHostAlloc:            d.hostAlloc,
		MemFreeHost:             d.hostFree,
		MemcpyHtoDAsync:         d.toDevice,
		MemcpyDtoHAsync:         d.toHost,
		StreamCreate:            d.streamCreate,
		StreamDestroy:           d.streamDestroy,
		EventCreate:             d.eventCreate,
		EventRecord:             d.eventRecord,
		EventSynchronize:        d.eventSynchronize,
		EventElapsedTime:        d.eventElapsedTime,
		EventDestroy:            d.eventDestroy,
		LaunchKernel:            d.launch,
	}
	v := reflect.ValueOf(a).Elem()
	for i := range v.NumField() {
		if field := v.Field(i); !field.IsNil() {
			field.Set(d.checked(v.Type().Field(i).Name, reflect.ValueOf(field.Interface())))
		}
	}
	a.GetErrorName = errorName
	return a
}

func errorName(r cuda.Result, name *unsafe.Pointer) cuda.Result {
	text, ok := map[cuda.Result]string{
		cuda.ErrorInvalidValue:   "CUDA_ERROR_INVALID_VALUE",
		cuda.ErrorOutOfMemory:    "CUDA_ERROR_OUT_OF_MEMORY",
		cuda.ErrorInvalidPTX:     "CUDA_ERROR_INVALID_PTX",
		cuda.ErrorNotFound:       "CUDA_ERROR_NOT_FOUND",
		cuda.ErrorIllegalAddress: "CUDA_ERROR_ILLEGAL_ADDRESS",
	}[r]
	if !ok {
		return cuda.ErrorInvalidValue
	}
	*name = unsafe.Pointer(unsafe.SliceData(append([]byte(text), 0)))
	return cuda.Success
}

func (d *Driver) init(uint32) cuda.Result {
	d.started = true
	if d.memory == nil {
		d.memory = ptx.NewMemory(d.Memory)
	}
	if d.Count == 0 {
		return cuda.ErrorNoDevice
	}
	return cuda.Success
}

// set stores a value that a driver function returns.
func set[T any](to *T, value T) cuda.Result {
	*to = value
	return cuda.Success
}

func (d *Driver) version(v *int32) cuda.Result { return set(v, d.Version) }
func (d *Driver) count(n *int32) cuda.Result   { return set(n, d.Count) }

func (d *Driver) device(id *cuda.DeviceID, index int32) cuda.Result {
	if index < 0 || index >= d.Count {
		return cuda.ErrorInvalidDevice
	}
	return set(id, cuda.DeviceID(index))
}

func (d *Driver) name(name *byte, n int32, _ cuda.DeviceID) cuda.Result {
	buf := unsafe.Slice(name, n)
	buf[copy(buf[:n-1], "interpreter of PTX")] = 0
	return cuda.Success
}

func (d *Driver) total(n *uintptr, _ cuda.DeviceID) cuda.Result {
	return set(n, uintptr(d.Memory))
}

func (d *Driver) attribute(v *int32, attribute int32, _ cuda.DeviceID) cuda.Result {
	values := map[int32]int32{cuda.AttributeClockRate: 1980000, cuda.AttributeUnits: d.Units,
		cuda.AttributeMajor: d.Major, cuda.AttributeMinor: d.Minor}
	value, ok := values[attribute]
	if !ok || d.NoClock && attribute == cuda.AttributeClockRate {
		return cuda.ErrorInvalidValue
	}
	return set(v, value)
}

func (d *Driver) retain(c *cuda.Context, _ cuda.DeviceID) cuda.Result {
	d.retained++
	return set(c, theContext)
}

func (d *Driver) release(cuda.DeviceID) cuda.Result {
	if d.retained == 0 {
		d.fault("the context is released too often")
		return cuda.ErrorInvalidContext
	}
	d.retained--
	return cuda.Success
}

func (d *Driver) push(c cuda.Context) cuda.Result {
	if c != theContext || d.retained == 0 {
		d.fault("context %#x is none", c)
		return cuda.ErrorInvalidContext
	}
	d.current[thread()]++
	return cuda.Success
}

func (d *Driver) pop(c *cuda.Context) cuda.Result {
	if d.current[thread()] == 0 {
		d.fault("CtxPopCurrent on a thread without a context")
		return cuda.ErrorInvalidContext
	}
	d.current[thread()]--
	return set(c, theContext)
}

func (d *Driver) load(m *cuda.ModuleID, image *byte, n uint32, o *cuda.JITOptions,
	v *cuda.JITValues) cuda.Result {
	if n != 4 || *o != (cuda.JITOptions{3, 4, 5, 6}) {
		d.fault("options of the compiler: %d, %v", n, *o)
		return cuda.ErrorInvalidValue
	}
	text := cString(image)
	if code, ok := strings.CutPrefix(text, "\x7fELF"); ok {
		var major, minor int32
		n, _ := fmt.Sscanf(code, "%d.%d\n", &major, &minor)
		_, text, _ = strings.Cut(code, "\n")
		switch {
		case n != 2:
			return cuda.ErrorInvalidImage
		case major != d.Major || minor > d.Minor:
			return cuda.ErrorNoBinary
		}
	} else {
		d.compiled++
	}
	parsed, err := ptx.Parse(text)
	if err != nil {
		log := unsafe.Slice((*byte)(v.ErrorLog), v.ErrorSize)
		v.ErrorSize = uintptr(copy(log[:len(log)-1], err.Error()))
		log[v.ErrorSize] = 0
		return cuda.ErrorInvalidPTX
	}
	*m = cuda.ModuleID(d.next())
	d.modules[*m] = &module{text: parsed}
	return cuda.Success
}

func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(bytes.Clone(unsafe.Slice(p, n)))
}

func (d *Driver) unload(m cuda.ModuleID) cuda.Result {
	if mod := d.modules[m]; mod != nil {
		mod.unloaded = true
	}
	return remove(d, "ModuleUnload", d.modules, m)
}

func (d *Driver) function(f *cuda.Function, m cuda.ModuleID, name string) cuda.Result {
	mod, ok := d.modules[m]
	if !ok {
		d.fault("module %#x is none", m)
		return cuda.ErrorInvalidHandle
	}
	k, err := mod.text.Kernel(name)
	if err != nil {
		return cuda.ErrorNotFound
	}
	*f = cuda.Function(d.next())
	d.kernels[*f] = &kernel{mod, k}
	return cuda.Success
}
