// Package opencl is the road to devices by OpenCL 1.2: GPUs of all vendors, and CPUs by
// PoCL. It calls the system's loader, libOpenCL, without cgo. Where that is not there, and
// on platforms for which it is not built, there are no devices.
package opencl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// ErrNone is in the tree of the errors that say that there is no such device, or no OpenCL.
var ErrNone = errors.New("opencl: no such device")

// Numbers of the specification.
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
	codeNoDevice     = -1
	codeNoMemory     = -4
	codeNoHostMemory = -6
	codeKernelName   = -46
	codeBufferSize   = -61
	codeNoPlatform   = -1001
)

// An Error is a negative code that a function of OpenCL returned, or a command ended with.
type Error struct {
	Call string // the function's name without "cl", or the kernel's
	Code int32
}

func (e *Error) Error() string { return fmt.Sprintf("opencl: %s: error %d", e.Call, e.Code) }

// Is reports driver.ErrMemory for the codes that say so.
func (e *Error) Is(target error) bool {
	switch e.Code {
	case codeNoMemory, codeNoHostMemory, codeBufferSize:
		return target == driver.ErrMemory
	}
	return false
}

// failure returns the Error of a code, or nil if it is not negative.
func failure(call string, code int32) error {
	if code >= 0 {
		return nil
	}
	return &Error{call, code}
}

// trimmed returns a C string without its end and the space around it.
func trimmed(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(text)
}
