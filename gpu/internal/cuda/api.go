package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/library"
)

// A Result is the result of every function of the driver (CUresult).
type Result int32

// Results that this package and its tests use. ErrorIllegalAddress to ErrorLaunchFailed are errors
// of launches; after most of them, every later call with the context fails too.
const (
	//layers:allow the number that CUDA uses
	Success             Result = 0
	ErrorInvalidValue   Result = 1
	ErrorOutOfMemory    Result = 2
	ErrorNotInitialized Result = 3
	ErrorNoDevice       Result = 100
	ErrorInvalidDevice  Result = 101
	ErrorInvalidImage   Result = 200
	ErrorInvalidContext Result = 201
	ErrorNoBinary       Result = 209 // no machine code for the device
	ErrorInvalidPTX     Result = 218
	ErrorInvalidHandle  Result = 400
	ErrorNotFound       Result = 500
	ErrorIllegalAddress Result = 700
	ErrorLaunchFailed   Result = 719
)

// Handles and numbers that the driver returns.
type (
	DeviceID int32
	Context  uintptr
	ModuleID uintptr
	Function uintptr
	Stream   uintptr
	Event    uintptr
	Pointer  uint64 // address in device memory (CUdeviceptr)
)

// Attributes of a device (CUdevice_attribute).
const (
	AttributeClockRate = 13 // in kHz
	AttributeUnits     = 16
	AttributeMajor     = 75 // major number of the compute capability
	AttributeMinor     = 76
)

// Flags of streams and events.
const (
	StreamNonBlocking  = 1 // does not synchronize with the null stream
	EventBlockingSync  = 1 // a waiting thread sleeps instead of using its core
	EventDisableTiming = 2
)

// JITOptions are the numbers of the compiler options whose values JITValues holds (CUjit_option).
type JITOptions [4]uint32

// jitOptions are the numbers of the options for the buffers and sizes of the compiler's logs.
var jitOptions = JITOptions{3, 4, 5, 6}

// JITValues are the values of the compiler options, as an array of void*: the buffer of the
// information log and its size, then the buffer of the error log and its size. The driver replaces
// the sizes by the lengths of the logs.
type JITValues struct {
	InfoLog   unsafe.Pointer
	InfoSize  uintptr
	ErrorLog  unsafe.Pointer
	ErrorSize uintptr
}

// LaunchExtra is an array of void* that passes the parameters of a kernel as one block. The keys
// are 1 (CU_LAUNCH_PARAM_BUFFER_POINTER), 2 (…_SIZE) and 0 (…_END).
type LaunchExtra struct {
	BufferKey uintptr
	Buffer    unsafe.Pointer
	SizeKey   uintptr
	Size      *uintptr
	End       uintptr
}

// An API holds the functions of the driver. Load or a test sets the fields; only fields marked
// optional may be nil. Field names are the driver's function names without "cu" and the suffix.
type API struct {
	Init                    func(flags uint32) Result
	DriverGetVersion        func(version *int32) Result
	DeviceGetCount          func(count *int32) Result
	DeviceGet               func(d *DeviceID, index int32) Result
	DeviceGetName           func(name *byte, n int32, d DeviceID) Result
	DeviceTotalMem          func(bytes *uintptr, d DeviceID) Result `suffix:"_v2"`
	DeviceGetAttribute      func(value *int32, attribute int32, d DeviceID) Result
	DevicePrimaryCtxRetain  func(c *Context, d DeviceID) Result
	DevicePrimaryCtxRelease func(d DeviceID) Result `suffix:"_v2"`
	CtxPushCurrent          func(c Context) Result  `suffix:"_v2"`
	CtxPopCurrent           func(c *Context) Result `suffix:"_v2"`
	ModuleLoadDataEx        func(*ModuleID, *byte, uint32, *JITOptions, *JITValues) Result
	ModuleUnload            func(m ModuleID) Result
	ModuleGetFunction       func(f *Function, m ModuleID, name string) Result

	MemAlloc     func(p *Pointer, bytes uintptr) Result `suffix:"_v2"`
	MemFree      func(p Pointer) Result                 `suffix:"_v2"`
	MemHostAlloc func(p *unsafe.Pointer, bytes uintptr, flags uint32) Result
	MemFreeHost  func(p unsafe.Pointer) Result

	MemcpyHtoDAsync func(dst Pointer, src unsafe.Pointer, n uintptr, s Stream) Result `suffix:"_v2"`
	MemcpyDtoHAsync func(dst unsafe.Pointer, src Pointer, n uintptr, s Stream) Result `suffix:"_v2"`

	StreamCreate     func(s *Stream, flags uint32) Result
	StreamDestroy    func(s Stream) Result `suffix:"_v2"`
	EventCreate      func(e *Event, flags uint32) Result
	EventRecord      func(e Event, s Stream) Result
	EventSynchronize func(e Event) Result
	EventElapsedTime func(ms *float32, begin, end Event) Result `optional:"true"` // for benchmarks
	EventDestroy     func(e Event) Result                       `suffix:"_v2"`
	LaunchKernel     func(f Function, gx, gy, gz, bx, by, bz, shared uint32, s Stream,
		params unsafe.Pointer, extra *LaunchExtra) Result
	GetErrorName func(r Result, name *unsafe.Pointer) Result `optional:"true"`
}

// ErrNone is wrapped by errors which say that the device does not exist, that there is no driver,
// or that the driver is too old.
var ErrNone = errors.New("cuda: no such device")

// An Error is a Result other than Success.
type Error struct {
	Call string // name of the function without "cu"
	Code Result
	Name string // name of Code, if the driver returns one
}

func (e *Error) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("cuda: %s: error %d", e.Call, e.Code)
	}
	return fmt.Sprintf("cuda: %s: error %d (%s)", e.Call, e.Code, e.Name)
}

// Is reports whether e's code corresponds to target, which may be driver.ErrMemory, driver.ErrLost
// or ErrNone.
func (e *Error) Is(target error) bool {
	switch {
	case e.Code == ErrorOutOfMemory:
		return target == driver.ErrMemory
	case e.Code >= ErrorIllegalAddress && e.Code <= ErrorLaunchFailed:
		return target == driver.ErrLost
	case e.Code == ErrorNoDevice || e.Code == ErrorInvalidDevice:
		return target == ErrNone
	}
	return false
}

// failure returns r as an Error, or nil if r is Success.
func (a *API) failure(call string, r Result) error {
	if r == Success {
		return nil
	}
	e := &Error{Call: call, Code: r}
	var name unsafe.Pointer
	if a.GetErrorName != nil && a.GetErrorName(r, &name) == Success && name != nil {
		e.Name = text((*byte)(name), 80)
	}
	return e
}

// text returns the C string at p, which ends at the first zero byte or after n bytes.
func text(p *byte, n int) string {
	var b []byte
	for i := range n {
		c := *(*byte)(unsafe.Add(unsafe.Pointer(p), i))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}

// libraries returns the names of the driver's library on this platform. On Linux it also returns
// paths that the system's loader may not search: the folder that containers get from a host such as
// a node of Google Kubernetes Engine, and that of the Windows Subsystem for Linux.
func libraries() []string {
	switch runtime.GOOS {
	case "linux":
		return []string{"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1",
			"/usr/lib/wsl/lib/libcuda.so.1"}
	case "windows":
		return []string{"nvcuda.dll"}
	}
	return nil
}

// Load loads the CUDA driver and finds its functions. The library is never unloaded.
func Load() (*API, error) {
	lib, err := library.Open(libraries()...)
	if err != nil {
		return nil, fmt.Errorf("%w: no CUDA driver: %w", ErrNone, err)
	}
	a := new(API)
	if err := lib.Bind(a, "cu"); err != nil {
		return nil, fmt.Errorf("%w: the CUDA driver %w", ErrNone, err)
	}
	return a, nil
}
