package reading

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxGarbage is the number of bytes that may be allocated between two garbage collections; a single
// larger buffer is also allowed. Without this limit, on a busy machine, the collector may start
// only when several unused buffers of 32 MiB have accumulated.
const maxGarbage = 32 << 20

// A Budget limits the number of bytes in buffers.
type Budget struct {
	left  int64
	err   error
	fresh int64 // bytes allocated since the last garbage collection
}

// NewBudget returns a budget with a limit in bytes. err is the error of Buffer if the limit is
// exceeded.
func NewBudget(limit int64, err error) *Budget { return &Budget{left: limit, err: err} }

// Buffer returns a buffer of size bytes with arbitrary content, which the caller uses in place of
// the buffer old. The result uses the memory of old if that suffices; otherwise Buffer allocates
// memory and takes the difference from the budget. After an error, old remains valid.
func (b *Budget) Buffer(old []byte, size int) ([]byte, error) {
	more := int64(size - cap(old))
	if more <= 0 {
		return old[:size], nil
	}
	if more > b.left {
		return nil, b.err
	}
	b.left -= more
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
