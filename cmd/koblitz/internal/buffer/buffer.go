// Package buffer provides reference-counted memory for input data. Batches that are processed at
// the same time may hold parts of the same buffer. When the last user has released a buffer, the
// buffer is used again.
package buffer

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// A Buffer is a block of memory with a count of its users. The zero value has no memory.
type Buffer struct {
	Bytes []byte
	users atomic.Int32
}

// size is the capacity in bytes of the largest buffer that is kept for reuse. Larger ones are rare.
const size = 640 << 10

var pool sync.Pool

// New returns a buffer of n bytes with one user. The bytes hold leftovers of earlier use.
func New(n int) *Buffer {
	b, _ := pool.Get().(*Buffer)
	if b == nil || cap(b.Bytes) < n {
		b = &Buffer{Bytes: make([]byte, n)}
	}
	b.Bytes = b.Bytes[:n]
	b.users.Store(1)
	return b
}

// Room returns data in a buffer with room for at least n more bytes after it. data is in b or in no
// buffer. If b lacks that room, Room copies data into a new buffer, of size bytes more than n, and
// releases b; other users may still hold parts of b.
func (b *Buffer) Room(data []byte, n, size int) ([]byte, *Buffer) {
	if cap(data)-len(data) >= n {
		return data, b
	}
	of := New(max(size, len(data)) + n)
	data = append(of.Bytes[:0], data...)
	b.Release()
	return data, of
}

// Hold adds a user and returns b. If b is nil, Hold does nothing.
func (b *Buffer) Hold() *Buffer {
	if b != nil {
		b.users.Add(1)
	}
	return b
}

// Part adds a user for data, which must be a part of b, and returns data and b. If data is a small
// part of a large buffer, Part returns a copy of data and a nil buffer instead, so that a batch
// does not keep much more memory in use than it reports. If b is nil, there are no users to count.
func (b *Buffer) Part(data []byte) ([]byte, *Buffer) {
	if b != nil && cap(b.Bytes) > size && len(data) < cap(b.Bytes)/4 {
		return bytes.Clone(data), nil
	}
	return data, b.Hold()
}

// Release removes a user. Each user calls Release once. If a user never calls it, b is not reused,
// which is harmless.
func (b *Buffer) Release() {
	if b == nil {
		return
	}
	switch n := b.users.Add(-1); {
	case n < 0:
		panic("buffer: released by more than its users")
	case n == 0 && cap(b.Bytes) <= size:
		pool.Put(b)
	}
}
