package opencl

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/koblitz-go/koblitz/gpu/internal/library"
)

// Handles of OpenCL objects. They are pointers that only the OpenCL library dereferences.
type (
	platformID uintptr
	deviceID   uintptr
	contextID  uintptr
	programID  uintptr
	kernelID   uintptr
	memoryID   uintptr
	queueID    uintptr
	eventID    uintptr
)

// An API holds the functions of OpenCL 1.2 that this package uses. Field names are the functions'
// names without "cl".
type API struct {
	GetPlatformIDs func(size uint32, list *platformID, count *uint32) int32
	GetDeviceIDs   func(p platformID, kind uint64, size uint32, list *deviceID,
		count *uint32) int32
	GetDeviceInfo func(d deviceID, name uint32, size uintptr, value unsafe.Pointer,
		needed *uintptr) int32

	CreateContext func(properties *uintptr, count uint32, list *deviceID,
		notify, data uintptr, code *int32) contextID
	ReleaseContext func(contextID) int32

	CreateProgramWithSource func(c contextID, count uint32, sources **byte,
		lengths *uintptr, code *int32) programID
	BuildProgram func(p programID, count uint32, list *deviceID, options string,
		notify, data uintptr) int32
	GetProgramBuildInfo func(p programID, d deviceID, name uint32, size uintptr,
		value unsafe.Pointer, needed *uintptr) int32
	ReleaseProgram func(programID) int32
	CreateKernel   func(p programID, name string, code *int32) kernelID
	SetKernelArg   func(k kernelID, index uint32, size uintptr, value unsafe.Pointer) int32
	ReleaseKernel  func(kernelID) int32

	CreateBuffer func(c contextID, flags uint64, size uintptr, host unsafe.Pointer,
		code *int32) memoryID
	ReleaseMemObject func(memoryID) int32

	CreateCommandQueue func(c contextID, d deviceID, properties uint64,
		code *int32) queueID
	ReleaseCommandQueue func(queueID) int32
	EnqueueWriteBuffer  func(q queueID, m memoryID, blocking uint32, offset, size uintptr,
		from unsafe.Pointer, waits uint32, list uintptr, event *eventID) int32
	EnqueueReadBuffer func(q queueID, m memoryID, blocking uint32, offset, size uintptr,
		to unsafe.Pointer, waits uint32, list uintptr, event *eventID) int32
	EnqueueMapBuffer func(q queueID, m memoryID, blocking uint32, flags uint64,
		offset, size uintptr, waits uint32, list, event uintptr, code *int32) unsafe.Pointer
	EnqueueUnmapMemObject func(q queueID, m memoryID, host unsafe.Pointer, waits uint32,
		list, event uintptr) int32
	EnqueueNDRangeKernel func(q queueID, k kernelID, dimensions uint32,
		offset, global, local *uintptr, waits uint32, list uintptr, event *eventID) int32
	Flush        func(queueID) int32
	Finish       func(queueID) int32
	GetEventInfo func(e eventID, name uint32, size uintptr, value unsafe.Pointer,
		needed *uintptr) int32
	GetEventProfilingInfo func(e eventID, name uint32, size uintptr, value unsafe.Pointer,
		needed *uintptr) int32
	ReleaseEvent func(eventID) int32
}

// libraries returns the names of the OpenCL loader on this platform.
func libraries() []string {
	switch runtime.GOOS {
	case "linux":
		return []string{"libOpenCL.so.1", "libOpenCL.so"}
	case "darwin":
		return []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
	case "windows":
		return []string{"OpenCL.dll"}
	}
	return nil
}

// Load loads the OpenCL loader and finds its functions. The library is never unloaded.
func Load() (*API, error) {
	lib, err := library.Open(libraries()...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	a := new(API)
	if err := lib.Bind(a, "cl"); err != nil {
		return nil, fmt.Errorf("%w: the library %w", ErrNone, err)
	}
	return a, nil
}

// platforms returns the installed platforms. It returns nil if there are none, although loaders
// report that case as an error.
func (a *API) platforms() ([]platformID, error) {
	return list("GetPlatformIDs", codeNoPlatform, a.GetPlatformIDs)
}

// devices returns the devices of a platform.
func (a *API) devices(p platformID) ([]deviceID, error) {
	return list("GetDeviceIDs", codeNoDevice, func(size uint32, list *deviceID, count *uint32) int32 {
		return a.GetDeviceIDs(p, deviceAll, size, list, count)
	})
}

// list returns the list that an OpenCL function returns in two calls: the first call counts the
// elements. none is the function's code for an empty list.
func list[T any](
	call string, none int32, get func(size uint32, list *T, count *uint32) int32,
) ([]T, error) {
	var count uint32
	code := get(0, nil, &count)
	if code == none || code == 0 && count == 0 {
		return nil, nil
	}
	list := make([]T, count)
	if code == 0 {
		code = get(count, &list[0], nil)
	}
	return list, failure(call, code)
}

// number returns the value of a numeric property of a device, or 0 if the device does not have the
// property. The driver writes the value as 4 or 8 bytes.
func (a *API) number(d deviceID, name uint32) uint64 {
	var b [8]byte
	var size uintptr
	if a.GetDeviceInfo(d, name, 8, unsafe.Pointer(&b), &size) != 0 {
		return 0
	}
	if size == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&b)))
	}
	return *(*uint64)(unsafe.Pointer(&b))
}

// text returns the value of a string property of a device, or "" if the device does not have the
// property.
func (a *API) text(d deviceID, name uint32) string {
	return text(func(size uintptr, value unsafe.Pointer, needed *uintptr) int32 {
		return a.GetDeviceInfo(d, name, size, value, needed)
	})
}

// buildLog returns the log that the compiler has written for a program.
func (a *API) buildLog(p programID, d deviceID) string {
	return text(func(size uintptr, value unsafe.Pointer, needed *uintptr) int32 {
		return a.GetProgramBuildInfo(p, d, programBuildLog, size, value, needed)
	})
}

// text returns the C string that an OpenCL function returns in two calls, without surrounding white
// space: the first call returns the string's size. If a call fails, text returns "".
func text(get func(size uintptr, value unsafe.Pointer, needed *uintptr) int32) string {
	var size uintptr
	if get(0, nil, &size) != 0 || size == 0 {
		return ""
	}
	b := make([]byte, size)
	if get(size, unsafe.Pointer(&b[0]), nil) != 0 {
		return ""
	}
	text, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(text)
}
