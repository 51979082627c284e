// Package buffer has memory for what readers read: large pieces, parts of which belong to batches
// that are under way at the same time, and which are used again when the last of these is done.
package buffer

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// A Buffer is a piece of memory. The zero value has none.
type Buffer struct {
	Bytes []byte
	users atomic.Int32
}

// size is what is kept for others: larger pieces are rare.
const size = 640 << 10

var pool sync.Pool

// New returns a buffer of n bytes with one user. What is in it is left from others.
func New(n int) *Buffer {
	b, _ := pool.Get().(*Buffer)
	if b == nil || cap(b.Bytes) < n {
		b = &Buffer{Bytes: make([]byte, n)}
	}
	b.Bytes = b.Bytes[:n]
	b.users.Store(1)
	return b
}

// Room returns data, which is in b or in no buffer, with room for n bytes behind it. If there is
// none in b, data is copied into a new buffer, which has size bytes more than n, and b is released:
// parts of b may still be in use.
func (b *Buffer) Room(data []byte, n, size int) ([]byte, *Buffer) {
	if cap(data)-len(data) >= n {
		return data, b
	}
	of := New(max(size, len(data)) + n)
	data = append(of.Bytes[:0], data...)
	b.Release()
	return data, of
}

// Hold adds a user, and returns b. A nil buffer has no users.
func (b *Buffer) Hold() *Buffer {
	if b != nil {
		b.users.Add(1)
	}
	return b
}

// Part adds a user for data, a part of b, and returns both. It returns a copy and no buffer where
// data is a small part of a large buffer: a batch that says how much it holds must not keep much
// more. A nil buffer has no users.
func (b *Buffer) Part(data []byte) ([]byte, *Buffer) {
	if b != nil && cap(b.Bytes) > size && len(data) < cap(b.Bytes)/4 {
		return bytes.Clone(data), nil
	}
	return data, b.Hold()
}

// Release is called once by each user that is done with b. A user that never calls it keeps b from
// being used again, and nothing else.
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
