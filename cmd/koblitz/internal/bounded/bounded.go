// Package bounded provides an allocator for arrow-go that limits the memory in use.
package bounded

import (
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maxGarbage is the number of bytes that may be allocated between two garbage collections; a single
// larger buffer is also allowed. Without this limit, on a busy machine, the collector may start
// only when several unused buffers of 32 MiB have accumulated.
const maxGarbage = 32 << 20

// An Allocator counts the bytes in use. An allocation over the limit panics with the Allocator's
// error, since the interface cannot return one. Guard recovers from the panic.
type Allocator struct {
	memory.GoAllocator
	left  atomic.Int64
	fresh atomic.Int64 // bytes allocated since the last garbage collection
	err   error
}

// New returns an allocator with a limit in bytes. err is its error for allocations over the limit.
func New(limit int64, err error) *Allocator {
	a := &Allocator{err: err}
	a.left.Store(limit)
	return a
}

// tooMuch is the panic value of an Allocator.
type tooMuch struct{ error }

// Unwrap lets errors.Is find the error in libraries that convert the panic to an error.
func (t tooMuch) Unwrap() error { return t.error }

func (a *Allocator) take(n int) {
	if a.left.Add(-int64(n)) < 0 {
		a.left.Add(int64(n))
		panic(tooMuch{a.err})
	}
}

// collect runs the garbage collector if allocating n more bytes could exceed maxGarbage.
func (a *Allocator) collect(n int) {
	if a.fresh.Add(int64(n)) > maxGarbage {
		a.fresh.Store(int64(n))
		runtime.GC()
	}
}

// Allocate returns size bytes. It panics if they exceed the limit.
func (a *Allocator) Allocate(size int) []byte {
	a.take(size)
	a.collect(size)
	return a.GoAllocator.Allocate(size)
}

// Reallocate returns size bytes that begin with the content of old. It panics if they exceed the
// limit.
func (a *Allocator) Reallocate(size int, old []byte) []byte {
	a.take(size - len(old))
	a.collect(size)
	return a.GoAllocator.Reallocate(size, old)
}

// Free returns the bytes of b to the budget.
func (a *Allocator) Free(b []byte) { a.left.Add(int64(len(b))) }
