// Package driver defines the interface between the engine and a vendor's driver: memory, queues and
// launches of kernels by name. Packages opencl and cuda implement it. The engine's tests implement
// it with simulated devices that fail.
package driver

import (
	"context"
	"errors"
	"time"
)

// Group is the number of work items in a group. The number of work items of a launch is rounded up
// to whole groups, so every kernel gets the number of rows as an argument, and work items with an
// index beyond it do nothing.
const Group = 128

// ErrMemory is wrapped by errors which say that the device is out of memory.
var ErrMemory = errors.New("out of device memory")

// ErrLost is wrapped by errors after which the device carries out no more calls.
var ErrLost = errors.New("the device is lost")

// Info describes a device.
type Info struct {
	// Name is the backend ("cuda" or "opencl"), the device's number on it, and the vendor's name:
	// "opencl:0 Intel(R) UHD Graphics 770".
	Name     string
	Driver   string // the driver's version
	Memory   int64  // bytes
	Units    int    // number of multiprocessors (CUDA) or compute units (OpenCL)
	ClockMHz int    // highest clock rate, or 0 if the driver does not say
	CPU      bool   // the device is a CPU; the host's native code is faster on it
	// Major and Minor are the compute capability of a device of CUDA.
	Major, Minor int
}

// A Program is the source of some kernels, as PTX and as OpenCL C. The kernels of all programs have
// different names.
type Program struct {
	Name   string
	Source string // OpenCL C 1.2
	PTX    string
	// Cubin, if it is not nil, returns machine code made from PTX for a device of the given compute
	// capability, or nil.
	Cubin func(major, minor int) []byte
}

// A Device is an opened device. It is safe for concurrent use.
type Device interface {
	Info() Info
	// Load compiles a program, after which its kernels can be launched. The driver may cache the
	// result for later processes.
	Load(p *Program) error
	// Alloc allocates the given number of bytes, at least one, of device memory. Their contents are
	// unspecified.
	Alloc(bytes int) (Buffer, error)
	// AllocHost allocates the given number of bytes, at least one, of host memory. It is pinned if
	// the driver can pin memory, so that the device copies from and to it directly. Its contents
	// are unspecified.
	AllocHost(bytes int) (*HostMemory, error)
	// NewQueue returns a queue. If timed is set, the queue measures its launches by the device's
	// clock, which slows them down.
	NewQueue(timed bool) (Queue, error)
	// Close frees the device. The caller must have closed its queues and freed its memory before.
	Close() error
}

// A Buffer is an allocation of device memory.
type Buffer interface {
	// Free frees the memory. The caller must have waited for all queues that use it. A second Free
	// does nothing, and a call with a freed Buffer returns an error.
	Free()
}

// A Queue carries out copies and launches in the order of the calls. It must be used by one
// goroutine at a time. Different queues of a device work independently of each other.
type Queue interface {
	// Write copies src to dst at the offset off. It may return before the copy is done, so src must
	// not change until Wait has returned nil. If src is HostMemory of the same device, the device
	// copies it directly, while kernels of other queues run; the driver may first copy other memory
	// to a buffer of its own.
	Write(dst Buffer, off int, src []byte) error
	// Read copies from src, at the offset off, to dst. It may return before the copy is done, so
	// dst must not be used until Wait has returned nil. If dst is HostMemory, the device copies to
	// it directly, as in Write. If it is other memory, Read may wait for all copies and launches
	// before it.
	Read(dst []byte, src Buffer, off int) error
	// Launch runs a kernel of a loaded program on n work items, rounded up to whole groups. Each
	// argument is a Buffer, a uint32 or a uint64. A nil Buffer is a null pointer.
	Launch(kernel string, n int, args ...any) error
	// Wait waits until all copies and launches are done, and returns the error of one that failed.
	// If ctx ends first, Wait returns ctx.Err(); the queue and the memory of its copies then stay
	// in use until a later Wait returns nil or another error.
	Wait(ctx context.Context) error
	// Times returns the durations of the launches that the last Wait waited for, in order, or nil if
	// the queue does not measure launches. The durations exclude copies, and the time that the host
	// needs to start a launch.
	Times() []time.Duration
	// Close waits until all copies and launches are done, and frees the queue.
	Close()
}
