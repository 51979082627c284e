// Package opencl drives devices through OpenCL 1.2: GPUs of all vendors, and CPUs through PoCL. It
// calls the system's loader, libOpenCL, without cgo. Where libOpenCL is not installed, and on
// platforms for which the package is not built, there are no devices.
package opencl

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// ErrNone is wrapped by errors which say that the device does not exist or that OpenCL is not
// installed.
var ErrNone = errors.New("opencl: no such device")

// Constants of the OpenCL specification.
const (
	deviceAll        = 0xffffffff
	deviceTypeCPU    = 1 << 1
	deviceType       = 0x1000
	deviceUnits      = 0x1002
	deviceGroup      = 0x1004
	deviceClock      = 0x100c
	deviceMemory     = 0x101f
	deviceLittle     = 0x1026
	deviceAvailable  = 0x1027
	deviceCompiler   = 0x1028
	deviceName       = 0x102b
	deviceDriver     = 0x102d
	contextPlatform  = 0x1084
	programBuildLog  = 0x1183
	memoryReadWrite  = 1 << 0
	memoryAllocHost  = 1 << 4
	mapReadWrite     = 1<<0 | 1<<1
	eventStatus      = 0x11d3
	queueProfiling   = 1 << 1
	profilingStart   = 0x1282
	profilingEnd     = 0x1283
	codeNoDevice     = -1
	codeNoMemory     = -4
	codeNoHostMemory = -6
	codeKernelName   = -46
	codeBufferSize   = -61
	codeNoPlatform   = -1001
)

// An Error is a negative code that an OpenCL function has returned, or with which a command has
// ended.
type Error struct {
	Call string // name of the function without "cl", or of the kernel
	Code int32
}

func (e *Error) Error() string { return fmt.Sprintf("opencl: %s: error %d", e.Call, e.Code) }

// Is reports whether e's code corresponds to target, which may be driver.ErrMemory.
func (e *Error) Is(target error) bool {
	switch e.Code {
	case codeNoMemory, codeNoHostMemory, codeBufferSize:
		return target == driver.ErrMemory
	}
	return false
}

// failure returns code as an Error, or nil if code is not negative.
func failure(call string, code int32) error {
	if code >= 0 {
		return nil
	}
	return &Error{call, code}
}
