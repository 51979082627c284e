package reading

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxGarbage is the number of bytes that may be allocated between two garbage collections; a single
// larger buffer is also allowed. Without this limit, on a busy machine, the collector may start
// only when several unused buffers of 32 MiB have accumulated.
const maxGarbage = 32 << 20

// A Budget limits the number of bytes in use. If other goroutines hold some of them, and will give
// them back, each of these goroutines is a user of the budget.
type Budget struct {
	mu     sync.Mutex
	change sync.Cond // one of the next fields has changed
	left   int64
	users  int
	closed bool // Close was called

	fresh int64 // bytes allocated since the last garbage collection
	err   error
}

// NewBudget returns a budget with a limit in bytes. err is the error of Take if the limit is
// exceeded.
func NewBudget(limit int64, err error) *Budget {
	b := &Budget{left: limit, err: err}
	b.change.L = &b.mu
	return b
}

// Take removes n bytes from the budget. If fewer are left, it waits for the users of the budget to
// give bytes back. If there are no users, it removes nothing and returns the budget's error.
func (b *Budget) Take(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.left < int64(n) {
		if b.users == 0 || b.closed {
			return b.err
		}
		b.change.Wait()
	}
	b.left -= int64(n)
	return nil
}

// Give returns n bytes, which were taken before, to the budget.
func (b *Budget) Give(n int) { b.update(func() { b.left += int64(n) }) }

// Join adds a user to the budget.
func (b *Budget) Join() { b.update(func() { b.users++ }) }

// Leave removes a user, which has given its bytes back.
func (b *Budget) Leave() { b.update(func() { b.users-- }) }

// Close ends all waits: its users give nothing back any more.
func (b *Budget) Close() { b.update(func() { b.closed = true }) }

func (b *Budget) update(change func()) {
	b.mu.Lock()
	change()
	b.mu.Unlock()
	b.change.Broadcast()
}

// Free returns the bytes of buffer to the budget.
func (b *Budget) Free(buffer []byte) { b.Give(cap(buffer)) }

// Buffer returns a buffer of size bytes with arbitrary content, which the caller uses in place of
// the buffer old. The result uses the memory of old if that suffices; otherwise Buffer allocates
// memory and takes the difference from the budget. After an error, old remains valid. Only one
// goroutine at a time may call Buffer.
func (b *Budget) Buffer(old []byte, size int) ([]byte, error) {
	if size <= cap(old) {
		return old[:size], nil
	}
	if err := b.Take(size - cap(old)); err != nil {
		return nil, err
	}
	if b.fresh += int64(size); b.fresh > maxGarbage {
		b.fresh = int64(size)
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

// Guard calls f. If f panics, Guard returns the panic as an error, so that an input that a library
// does not expect cannot end the program.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprint(p)
			line, _, _ := strings.Cut(text, "\n")
			err = fmt.Errorf("broken: %s", line)
		}
	}()
	return f()
}
