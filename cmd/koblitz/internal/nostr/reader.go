package nostr

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/lines"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
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

	batchLines = 256
)

// NewReader returns a reader of the lines of src.
func NewReader(src rows.Source) rows.Reader {
	d := detail{Line: 1}
	r := &lines.Reader{Source: src, Format: format{file: src.Name},
		Limits: lines.Limits{Record: MaxLine + 1, Name: "line", Copies: lineCopies, Batch: batchLines},
		Empty: func() error {
			return &rows.Error{File: src.Name, Line: 1, Err: errors.New("an empty file")}
		}}
	if err := src.From.Tell(&d); err != nil {
		r.Err = &rows.Error{File: src.Name, Offset: -1, Err: fmt.Errorf("no place in it: %w", err)}
	}
	r.Line, r.Some, r.Off = d.Line, d.Some, src.From.Skipped()
	return r
}

// A detail is the data that a reader needs to resume at a place (see rows.Place).
type detail struct {
	Line int  `json:"line"` // number of the line at the place, from 1
	Some bool `json:"some"` // a line before the place is not empty
}

// A format implements lines.Format for a file with the given name.
type format struct {
	lines.OneLine
	file string
}

func (format) Blank(b []byte) bool { return blank(b) }

func (format) Detail(line int, some bool) any { return detail{line, some} }

func (f format) Reject(line int, why string, emit func(*rows.Unit)) {
	emit(&rows.Unit{Where: lines.In(f.file, line), Decided: rows.Malformed, Reason: why})
}

func (f format) Expand(data []byte, first int, emit func(*rows.Unit)) {
	l := newLineReader(emit)
	for n := 0; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, newline)
		data = rest
		switch {
		case blank(line):
		case lines.HasLoneReturn(line):
			f.Reject(first+n, lines.LoneReturn, emit)
		default:
			l.read(line, lines.In(f.file, first+n))
		}
	}
}

var newline = []byte{'\n'}

// blank reports whether b consists of JSON white space (RFC 8259, section 2). Unicode has more
// kinds of white space, which JSON does not allow.
func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
