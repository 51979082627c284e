// Package bounded has an allocator for arrow-go that refuses what is beyond a limit.
package bounded

import (
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maxGarbage is how many bytes are allocated between two collections, or those of one buffer if
// it is longer. On a machine with other work the collector, left to itself, may come when several
// buffers of 32 MiB are there that are not in use any more.
const maxGarbage = 32 << 20

// An Allocator counts the bytes that are in use. What would be too much ends in a panic with
// the Allocator's error, as the interface has no other way to say so: Guard catches it.
type Allocator struct {
	memory.GoAllocator
	left  atomic.Int64
	fresh atomic.Int64 // bytes allocated since a collection
	err   error
}

// New returns an allocator of limit bytes.
func New(limit int64, err error) *Allocator {
	a := &Allocator{err: err}
	a.left.Store(limit)
	return a
}

// tooMuch is what an Allocator panics with.
type tooMuch struct{ error }

// Unwrap is for libraries that make an error of the panic themselves.
func (t tooMuch) Unwrap() error { return t.error }

func (a *Allocator) take(n int) {
	if a.left.Add(-int64(n)) < 0 {
		a.left.Add(int64(n))
		panic(tooMuch{a.err})
	}
}

// collect has garbage collected if n bytes more could make too much of it.
func (a *Allocator) collect(n int) {
	if a.fresh.Add(int64(n)) > maxGarbage {
		a.fresh.Store(int64(n))
		runtime.GC()
	}
}

// Allocate returns size bytes, or panics.
func (a *Allocator) Allocate(size int) []byte {
	a.take(size)
	a.collect(size)
	return a.GoAllocator.Allocate(size)
}

// Reallocate returns size bytes that begin as old does, or panics.
func (a *Allocator) Reallocate(size int, old []byte) []byte {
	a.take(size - len(old))
	a.collect(size)
	return a.GoAllocator.Reallocate(size, old)
}

// Free says that b is not used any more.
func (a *Allocator) Free(b []byte) { a.left.Add(int64(len(b))) }
