// Package lines reads text with one record per line. It splits the text into batches of whole
// lines, which are parsed on the checker's workers.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Format describes the lines of a text.
type Format struct {
	// Parser returns a function that emits the rows.Units of a line. The line is not blank and
	// lacks its "\n".
	Parser func(emit func(*rows.Unit)) func(line []byte, where rows.Where)
	// Name is the word for a line in error messages, such as "row".
	Name string
	// Empty is the error text for a text without lines, or with blank lines alone.
	Empty string
	// Longest is the maximum length of a line in bytes, without its "\n". It keeps a file without
	// line ends from filling memory.
	Longest int
	// Copies is the maximum memory for parsing a line, as a multiple of its length.
	Copies int
	// Batch is the maximum number of lines in a batch.
	Batch int
}

// BatchBytes is the length in bytes at which a batch is complete, even with fewer lines.
const BatchBytes = 256 << 10

// New returns a reader of the lines of src. It can resume at a place.
func New(src rows.Source, format Format) rows.Reader {
	r := &reader{src: src, format: &format, at: detail{Line: 1}, offset: src.From.Skipped()}
	err := src.From.Tell(&r.at)
	if err == nil && r.at.Line < 1 {
		err = fmt.Errorf("line %d", r.at.Line)
	}
	if err != nil {
		r.err = &rows.Error{File: src.Name, Offset: -1, Err: fmt.Errorf("no place in it: %w", err)}
	}
	return r
}

// A detail is the data that a reader needs to resume at a place (see rows.Place).
type detail struct {
	Line int  `json:"line"` // number of the line at the place, from 1
	Some bool `json:"some"` // a line before the place is not blank
}

// A reader implements rows.Reader.
type reader struct {
	src    rows.Source
	format *Format

	buf     []byte // bytes that were read but are in no batch yet
	scanned int    // number of bytes at the start of buf that have no line end
	at      detail // line with buf[0]
	offset  int64  // offset of buf[0] in the source
	err     error  // Next returns this error after the lines in buf

	short bool // the last read returned less than requested, so the next may block
	long  bool // buf begins inside a line that was too long
}

// Close implements rows.Reader.
func (r *reader) Close() error { return nil }

// Next implements rows.Reader.
func (r *reader) Next() (rows.Batch, error) {
	for {
		if b := r.cut(); b != nil {
			r.at.Some = r.at.Some || b.tooLong || !blank(b.text)
			if !r.long {
				b.place = rows.NewPlace(r.offset, r.at)
			}
			return b, nil
		}
		if r.err == io.EOF && !r.at.Some {
			r.err = r.where(errors.New(r.format.Empty))
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

// where returns err with the number of the last line read.
func (r *reader) where(err error) error {
	line := r.at.Line + bytes.Count(r.buf, newline)
	return &rows.Error{File: r.src.Name, Line: line, Err: err}
}

var newline = []byte{'\n'}

// fill reads more data into the buffer. If the buffer is full, fill switches to a new one, because
// earlier batches still use the full one.
func (r *reader) fill() {
	const chunk = BatchBytes / 2
	if len(r.buf)+chunk > cap(r.buf) {
		r.buf = append(make([]byte, 0, max(2*len(r.buf), 2*BatchBytes)+chunk), r.buf...)
	}
	n, err := r.src.Reader.Read(r.buf[len(r.buf) : len(r.buf)+chunk])
	r.buf = r.buf[:len(r.buf)+n]
	r.short = n < chunk
	switch {
	case err == io.EOF:
		r.err = err
	case err != nil:
		r.err = r.where(err)
	}
}

// cut returns the next batch, or nil if the buffer does not hold enough for one.
func (r *reader) cut() *batch {
	if r.long {
		r.skip()
	}
	end, count, longest := 0, 0, 0
	for count < r.format.Batch && end < BatchBytes {
		n := r.line(end)
		if n == 0 || n > r.format.Longest+1 {
			break
		}
		end += n
		count++
		longest = max(longest, n)
	}
	full := count == r.format.Batch || end >= BatchBytes
	rest := len(r.buf) - end
	tooLong := rest > r.format.Longest
	switch {
	case full, end > 0 && (r.short || r.err != nil || tooLong):
		return r.take(end, count, longest)
	case tooLong:
		b := r.take(0, 1, 0)
		b.tooLong, r.long = true, true
		return b
	case rest > 0 && r.err == io.EOF: // the last line, which lacks a line end
		return r.take(rest, 1, rest)
	}
	return nil
}

// line returns the length of the line at r.buf[from:] with its line end, or 0 if the buffer does
// not have its end. It does not scan the beginning of a long line again after a read, so that the
// time for a line does not depend on the number of reads.
func (r *reader) line(from int) int {
	begin := max(from, r.scanned)
	i := bytes.IndexByte(r.buf[begin:], '\n')
	if i < 0 && from == 0 {
		r.scanned = len(r.buf)
	}
	if i < 0 {
		return 0
	}
	return begin + i + 1 - from
}

// take removes count lines, the first n bytes, from the buffer and returns them as a batch. The
// longest line has longest bytes.
func (r *reader) take(n, count, longest int) *batch {
	b := &batch{format: r.format, file: r.src.Name, line: r.at.Line,
		size: r.format.Copies*longest + (1+count)*rows.RowSize}
	if b.text = r.buf[:n:n]; cap(r.buf) > 3*BatchBytes && n < cap(r.buf)/4 {
		b.text = bytes.Clone(b.text) // a batch must not keep much more memory than it reports
	}
	r.drop(n)
	b.consumed = r.src.Position(r.offset)
	return b
}

// drop removes the first n bytes from the buffer.
func (r *reader) drop(n int) {
	r.at.Line += bytes.Count(r.buf[:n], newline)
	r.offset += int64(n)
	r.buf = r.buf[n:]
	r.scanned = max(0, r.scanned-n)
}

// skip removes the rest of a line that was too long from the buffer, or as much of it as the buffer
// has.
func (r *reader) skip() {
	n := r.line(0)
	r.long = n == 0
	if r.long {
		n = len(r.buf)
	}
	r.drop(n)
}

// blank reports whether b consists of JSON white space (RFC 8259, section 2). Unicode has more
// kinds of white space, which JSON does not allow.
func blank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

// LoneReturn is the reason that makes a line malformed if it has a carriage return before its last
// byte. JSON and CSV allow that in some places, but many programs read it as the end of a line, and
// would find rows that were not verified.
const LoneReturn = "a carriage return in the midst of a line"

// A batch is a range of lines of a text.
type batch struct {
	format  *Format
	file    string
	line    int // number of the first line
	text    []byte
	size    int  // upper bound on the memory in bytes, without text
	tooLong bool // the batch is a line that is too long, and has no text

	consumed int64
	place    *rows.Place // where reading may resume after the batch; nil within a line
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Place() *rows.Place { return b.place }

func (b *batch) Size() int64 { return int64(len(b.text) + b.size) }

func (b *batch) Expand(emit func(*rows.Unit)) {
	where := rows.In(b.file)
	where.Line = b.line
	reject := func(why string) {
		emit(&rows.Unit{Where: where, Decided: rows.Malformed, Reason: why})
	}
	if b.tooLong {
		reject(fmt.Sprintf("the %s is longer than %d MiB", b.format.Name, b.format.Longest>>20))
		return
	}
	parse := b.format.Parser(emit)
	for line := range bytes.Lines(b.text) {
		line = bytes.TrimSuffix(line, newline)
		switch i := bytes.IndexByte(line, '\r'); {
		case blank(line):
		case i >= 0 && i < len(line)-1:
			reject(LoneReturn)
		default:
			parse(line, where)
		}
		where.Line++
	}
}
