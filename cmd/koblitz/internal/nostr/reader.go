package nostr

import (
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	// MaxLine is the maximum length in bytes of a line with an event. Relays accept much less
	// (NIP-11, max_message_length: mostly 64 KiB to 1 MiB). The limit keeps a file without line
	// ends from filling memory.
	MaxLine = 2 << 20

	// lineCopies bounds the memory for reading a line, as a multiple of the line's length. The
	// memory holds the hashed form of the tags and the content, the serialization, and the smaller
	// buffers that these outgrew.
	lineCopies = 6

	batchRows = 256
)

// NewReader returns a reader of the lines of src.
func NewReader(src reading.Source) reading.Reader {
	return reading.NewLines(src, reading.LineFormat{Name: "line", Empty: "an empty file",
		Longest: MaxLine, Copies: lineCopies, Batch: batchRows, Rows: rows,
		Parser: func(emit func(*reading.Unit)) func([]byte, reading.Where) {
			return newLineReader(emit).read
		}})
}
