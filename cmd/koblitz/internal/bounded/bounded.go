// Package bounded limits the memory of buffers, and turns panics of libraries into errors.
package bounded

import (
	"runtime"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// maxGarbage is the number of bytes that may be allocated between two garbage collections; a single
// larger buffer is also allowed. Without this limit, on a busy machine, the collector may start
// only when several unused buffers of 32 MiB have accumulated.
const maxGarbage = 32 << 20

// A Budget limits the number of bytes in use.
type Budget struct {
	left  atomic.Int64
	fresh atomic.Int64 // bytes allocated since the last garbage collection
	err   error
}

// New returns a budget with a limit in bytes. err is the error of Take if the limit is exceeded.
func New(limit int64, err error) *Budget {
	b := &Budget{err: err}
	b.left.Store(limit)
	return b
}

// Take removes n bytes from the budget. If fewer are left, it removes none and returns the budget's
// error.
func (b *Budget) Take(n int) error {
	if b.left.Add(-int64(n)) < 0 {
		b.left.Add(int64(n))
		return b.err
	}
	return nil
}

// Give returns n bytes, which were taken before, to the budget.
func (b *Budget) Give(n int) { b.left.Add(int64(n)) }

// Free returns the bytes of buffer to the budget.
func (b *Budget) Free(buffer []byte) { b.Give(cap(buffer)) }

// Buffer returns a buffer of size bytes with arbitrary content, which the caller uses in place of
// the buffer old. The result uses the memory of old if that suffices; otherwise Buffer allocates
// memory and takes the difference from the budget. After an error, old remains valid.
func (b *Budget) Buffer(old []byte, size int) ([]byte, error) {
	if size <= cap(old) {
		return old[:size], nil
	}
	if err := b.Take(size - cap(old)); err != nil {
		return nil, err
	}
	if b.fresh.Add(int64(size)) > maxGarbage {
		b.fresh.Store(int64(size))
		runtime.GC()
	}
	return make([]byte, size), nil
}

// NewZstd returns a decoder of whole buffers for DecodeAll. It starts no goroutine, and DecodeAll
// fails if its output does not fit into the capacity of the slice that it gets.
func NewZstd() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true))
}
