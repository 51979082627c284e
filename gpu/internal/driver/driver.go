// Package driver is what the engine needs of a vendor's driver: memory, queues and
// launches of kernels by name. Packages opencl and cuda implement it, and the engine's
// tests do, with devices that fail.
package driver

import (
	"context"
	"errors"
)

// Group is the number of work items in a group. A launch is rounded up to whole groups,
// so every kernel compares its index with the number of rows, which is an argument.
const Group = 128

// ErrMemory is in the tree of the errors that say that a device has no memory left.
var ErrMemory = errors.New("out of device memory")

// Info describes a device.
type Info struct {
	// Name is the road, the number by which Open knows the device on it, and the
	// vendor's name: "opencl:0 Intel(R) UHD Graphics 770".
	Name     string
	Driver   string // the driver's version
	Memory   int64  // bytes
	Units    int    // multiprocessors, or compute units
	ClockMHz int    // the highest
	CPU      bool   // the device is a CPU: the host has a faster road to that
}

// A Program is a text with kernels, in the languages of the roads. Kernels of different
// programs of a device have different names.
type Program struct {
	Name   string
	Source string // OpenCL C 1.2
	PTX    string
}

// A Device is an opened device. It is safe for concurrent use.
type Device interface {
	Info() Info
	// Load compiles a program, whose kernels can be launched then. The driver may keep
	// what comes out for the next process.
	Load(p *Program) error
	// Alloc returns that many bytes, at least one, of the device's memory. What they
	// hold is unspecified.
	Alloc(bytes int) (Buffer, error)
	// AllocHost returns that many bytes, at least one, of the host's memory which the device
	// copies from and to by itself (pinned memory), where the driver has such. What they
	// hold is unspecified.
	AllocHost(bytes int) (HostMemory, error)
	NewQueue() (Queue, error)
	// Close frees the device. Its queues and memory have been closed and freed.
	Close() error
}

// A Buffer is memory of a device.
type Buffer interface {
	// Free frees it. A queue that uses it has been waited for. A second Free does nothing, and
	// a call that is given a freed Buffer returns an error.
	Free()
}

// HostMemory is memory of the host that belongs to a device.
type HostMemory interface {
	// Bytes returns the memory, or nil if it is freed.
	Bytes() []byte
	// Free frees it. A queue that copies from or to it has been waited for, and nothing of
	// the program refers to it. A second Free does nothing.
	Free()
}

// A Queue carries out what it is given, in order. It is for one goroutine at a time.
// Different queues of a device work independently of each other.
type Queue interface {
	// Write copies src to the offset off of dst. It may return before that is done:
	// src must stay as it is until Wait has returned nil. From HostMemory of the same device
	// the copy takes the direct way, and runs while kernels of other queues do; all other memory
	// may be copied once more by the host.
	Write(dst Buffer, off int, src []byte) error
	// Read copies from the offset off of src to dst. It may return before that is
	// done: dst must not be touched until Wait has returned nil. Of HostMemory the same is
	// true as in Write.
	Read(dst []byte, src Buffer, off int) error
	// Launch runs a kernel of a program that was loaded on n work items, rounded up to
	// whole groups. Its arguments are a Buffer, uint32 or uint64 each; a nil Buffer is a
	// null pointer.
	Launch(kernel string, n int, args ...any) error
	// Wait returns when everything has been carried out, with the error of what
	// failed. If ctx ends first it returns ctx.Err() instead, and the queue and the
	// memory of its copies are in use until another Wait has returned something else.
	Wait(ctx context.Context) error
	// Close waits until everything has been carried out, and frees the queue.
	Close()
}
