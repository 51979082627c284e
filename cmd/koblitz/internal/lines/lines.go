// Package lines splits text into batches of whole records. A record is one or more lines.
package lines

import (
	"bytes"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Format defines the records of a text.
type Format interface {
	// Record returns the length of the first record of b including its line end, or 0 if b does not
	// contain the whole record. A record begins at the start of a line and ends at a line end.
	Record(b []byte) int
	// Rest returns a function that finds the end of a record that is read in parts. For each part,
	// the function returns what Record returns for a whole record: the length of the part up to and
	// including the line end, or 0 if the record goes on.
	Rest() func(part []byte) int
	// Refuse returns the reason if the record must not be parsed, and otherwise "".
	Refuse(record []byte) string
	// Expand emits the rows.Units of the records in b. first is the number of the line in which b
	// begins.
	Expand(b []byte, first int, emit func(*rows.Unit))
	// Reject emits the rows.Unit of a refused record that begins in the given line.
	Reject(line int, why string, emit func(*rows.Unit))
	// Blank reports whether b holds no record.
	Blank(b []byte) bool
	// Detail returns the data that a reader needs to resume at the given line. some reports whether
	// there is a record before that line.
	Detail(line int, some bool) any
}

// Limits bound the memory of a Reader.
type Limits struct {
	// Record is the maximum length of a record in bytes, including its line end, which counts even
	// if the last record of a file lacks it. Without this limit, a file without line ends, or with
	// an unmatched quotation mark, would fill memory.
	Record int
	// Name is the word for a record in error messages, such as "row".
	Name string
	// Copies is the maximum memory for parsing a record, as a multiple of its length.
	Copies int
	// Batch is the maximum number of records in a batch.
	Batch int
	// Half reports whether the bytes before a read error count as a record if they lack a line end.
	Half bool
}

// BatchBytes is the length in bytes at which a batch is complete, even with fewer records.
const BatchBytes = 256 << 10

// A Reader implements rows.Reader.
type Reader struct {
	Source rows.Source
	Format Format
	Limits Limits
	Empty  func() error // returns the error for a text without records

	Buf  []byte // bytes that were read but are in no batch yet
	Line int    // number of the line with Buf[0], from 1
	Off  int64  // offset of Buf[0] in the source
	Some bool   // a record was returned
	Err  error  // Next returns this error after all records in Buf

	short   bool             // the last read returned less than requested, so the next may block
	long    bool             // Buf begins inside a record that was too long
	rest    func([]byte) int // finds the end of the record with Buf[0]; nil before the first search
	scanned int              // number of bytes of Buf that rest has seen
}

// Close implements rows.Reader.
func (r *Reader) Close() error { return nil }

// Next implements rows.Reader.
func (r *Reader) Next() (rows.Batch, error) {
	for {
		if b := r.cut(); b != nil {
			r.Some = r.Some || b.refused != "" || !r.Format.Blank(b.data)
			if !r.long {
				b.place = rows.NewPlace(r.Off, r.Format.Detail(r.Line, r.Some))
			}
			return b, nil
		}
		if r.Err == io.EOF && !r.Some {
			r.Err = r.Empty()
		}
		if r.Err != nil {
			return nil, r.Err
		}
		r.Fill()
	}
}

// Where returns err with the number of the last line read.
func (r *Reader) Where(err error) error {
	return &rows.Error{File: r.Source.Name, Line: r.Line + bytes.Count(r.Buf, newline), Err: err}
}

var newline = []byte{'\n'}

// Fill reads more data into the buffer. If the buffer is full, Fill switches to a new one, because
// earlier batches still use the full one.
func (r *Reader) Fill() {
	const chunk = BatchBytes / 2
	if len(r.Buf)+chunk > cap(r.Buf) {
		r.Buf = append(make([]byte, 0, max(2*len(r.Buf), 2*BatchBytes)+chunk), r.Buf...)
	}
	n, err := r.Source.Reader.Read(r.Buf[len(r.Buf) : len(r.Buf)+chunk])
	r.Buf = r.Buf[:len(r.Buf)+n]
	r.short = n < chunk
	switch {
	case err == io.EOF:
		r.Err = err
	case err != nil:
		r.Err = r.Where(err)
	}
}

// cut returns the next batch, or nil if the buffer does not hold enough for one.
func (r *Reader) cut() *batch {
	if r.long {
		r.skipLong()
	}
	end, count, longest := 0, 0, 0
	for count < r.Limits.Batch && end < BatchBytes {
		n := 0
		if end == 0 {
			n = r.first()
		} else {
			n = r.Format.Record(r.Buf[end:])
		}
		if n == 0 || n > r.Limits.Record {
			break
		}
		if why := r.Format.Refuse(r.Buf[end : end+n]); why != "" {
			if end > 0 {
				return r.take(end, count, longest)
			}
			return r.one(n)
		}
		end += n
		count++
		longest = max(longest, n)
	}
	rest := len(r.Buf) - end
	switch {
	case count == r.Limits.Batch || end >= BatchBytes:
	case end > 0 && (r.short || r.Err != nil || rest > r.Limits.Record):
	case rest == 0, rest <= r.Limits.Record && (r.Err == nil || r.Err != io.EOF && !r.Limits.Half):
		return nil
	default:
		return r.broken()
	}
	return r.take(end, count, longest)
}

// first returns the length of the record at the start of the buffer, or 0 if the buffer does not
// have its end. It does not scan again what it scanned before the last read, so that the time for a
// record does not depend on the number of reads.
func (r *Reader) first() int {
	if r.rest == nil {
		if n := r.Format.Record(r.Buf); n > 0 {
			return n
		}
		r.rest, r.scanned = r.Format.Rest(), 0
	}
	n := r.rest(r.Buf[r.scanned:])
	if n == 0 {
		r.scanned = len(r.Buf)
		return 0
	}
	r.rest = nil
	return r.scanned + n
}

// broken removes the record at the start of the buffer, which has no end there or is too long, and
// returns it as a batch. The rest of a record that is too long is skipped later.
func (r *Reader) broken() *batch {
	if r.Err != nil && len(r.Buf) < r.Limits.Record {
		return r.one(len(r.Buf)) // the last record, which lacks a line end or is not closed
	}
	why := fmt.Sprintf("the %s is longer than %d MiB", r.Limits.Name, r.Limits.Record>>20)
	if i := bytes.IndexByte(r.Buf, '\n'); i >= 0 && i < r.Limits.Record {
		why += ": a quotation mark opens a field that goes on after its line"
	}
	b := r.take(0, 1, 0)
	b.refuse(why)
	r.long = true
	return b
}

// one removes the first n bytes from the buffer and returns them as a batch of one record, which
// the format may refuse.
func (r *Reader) one(n int) *batch {
	why := r.Format.Refuse(r.Buf[:n])
	if why == "" {
		return r.take(n, 1, n)
	}
	b := r.take(n, 1, 0)
	b.refuse(why)
	return b
}

func (r *Reader) take(end, count, longest int) *batch {
	b := &batch{format: r.Format, line: r.Line,
		size: r.Limits.Copies*longest + (1+count)*rows.RowSize}
	if b.data = r.Buf[:end:end]; cap(r.Buf) > 3*BatchBytes && end < cap(r.Buf)/4 {
		b.data = bytes.Clone(b.data) // a batch must not keep much more memory than it reports
	}
	if r.Drop(end); end > 0 {
		r.rest = nil
	}
	b.consumed = r.Source.Position(r.Off)
	return b
}

// Drop removes the first n bytes from the buffer.
func (r *Reader) Drop(n int) {
	r.Line += bytes.Count(r.Buf[:n], newline)
	r.Off += int64(n)
	r.Buf = r.Buf[n:]
}

// skipLong removes the rest of a record that was too long from the buffer, or as much of it as the
// buffer has.
func (r *Reader) skipLong() {
	if n := r.first(); n > 0 {
		r.Drop(n)
		r.long = false
		return
	}
	r.Drop(len(r.Buf))
	r.scanned = 0
}

// OneLine implements methods of a Format for records that are single lines of JSON.
type OneLine struct{}

// Record implements Format.
func (OneLine) Record(b []byte) int { return bytes.IndexByte(b, '\n') + 1 }

// Rest implements Format.
func (l OneLine) Rest() func([]byte) int { return l.Record }

// Refuse implements Format.
func (OneLine) Refuse([]byte) string { return "" }

// LoneReturn is the reason that makes a record malformed if HasLoneReturn reports true for it.
const LoneReturn = "a carriage return in the midst of a line"

// HasLoneReturn reports whether line, without its "\n", has a carriage return before its last byte.
// JSON allows that between tokens, but many programs read it as the end of a line, and would find
// rows that were not verified.
func HasLoneReturn(line []byte) bool {
	i := bytes.IndexByte(line, '\r')
	return i >= 0 && i < len(line)-1
}

// A batch is a range of records of a text.
type batch struct {
	format  Format
	data    []byte
	size    int    // upper bound on the memory in bytes, without data
	line    int    // number of the first record's line
	refused string // why the batch's only record was refused, or ""

	consumed int64
	place    *rows.Place // where reading may resume after the batch; nil within a line
}

// refuse marks the only record of b as refused and drops its data.
func (b *batch) refuse(why string) {
	b.data, b.refused = nil, why
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Place() *rows.Place { return b.place }

func (b *batch) Size() int64 { return int64(len(b.data) + b.size) }

func (b *batch) Expand(emit func(*rows.Unit)) {
	if b.refused != "" {
		b.format.Reject(b.line, b.refused, emit)
		return
	}
	b.format.Expand(b.data, b.line, emit)
}

// In returns the Where of a line in file, from 1.
func In(file string, line int) rows.Where {
	w := rows.In(file)
	w.Line = line
	return w
}
