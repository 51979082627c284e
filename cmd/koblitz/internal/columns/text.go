package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/buffer"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// maxRecord is the longest row of text, in bytes. It keeps a file without line ends, or with
	// a quotation mark too many, from filling memory.
	maxRecord = 1 << 20

	// recordCopies is how many times its length a row takes at most while it is read: the text
	// of its fields, or the names of a JSON object, which are kept to find one that comes twice.
	recordCopies = 8

	// maxCommas is the most commas of a row of CSV. Each takes up to 100 bytes while it is read.
	maxCommas = 1 << 15

	batchBytes = 256 << 10
)

// A textFormat is one of the formats of text.
type textFormat interface {
	// record returns the length of the first record of b with its line end, or 0 if b does not
	// reach so far. Records begin and end at line ends.
	record(b []byte) int
	// refuse says why a record is not taken apart, or is empty.
	refuse(record []byte) string
	// expand makes units of the records in b, the first of which begins in line first.
	expand(b []byte, file string, first int, m *maker)
}

// A textReader cuts a stream into batches of whole records.
type textReader struct {
	spec   *Spec
	src    rows.Source
	format textFormat

	line int   // of the first byte in buf, from 1
	off  int64 // of the first byte in buf
	buf  []byte
	of   *buffer.Buffer // that buf is in, or nil
	err  error

	head  []byte // of CSV, as it is in the file, without its line end; nil if it was not read
	some  bool   // there was a record
	short bool   // the last read brought less than was asked for: more may be long in coming
	long  bool   // inside the rest of a line that was too long
}

func (t *textReader) Close() error { return nil }

// Header returns the header of CSV as it is in the file, without its line end, and nil for JSONL.
func (t *textReader) Header() []byte { return t.head }

func (t *textReader) Next() (rows.Batch, error) {
	for {
		if b := t.cut(); b != nil {
			t.some = t.some || b.refused != "" || len(bytes.TrimSpace(b.data)) > 0
			b.place = t.place()
			return b, nil
		}
		if t.err == io.EOF && !t.some {
			t.err = t.where(errors.New("a table without rows"))
		}
		if t.err != nil {
			return nil, t.err
		}
		t.fill()
	}
}

func (t *textReader) where(err error) error {
	return &rows.Error{File: t.src.Name, Line: t.line + bytes.Count(t.buf, newline), Err: err}
}

var newline = []byte{'\n'}

// fill reads more, into another buffer if this one has no room: the batches that were cut off still
// use it.
func (t *textReader) fill() {
	const chunk = batchBytes / 2
	buf, of := t.of.Room(t.buf, chunk, max(2*len(t.buf), 2*batchBytes))
	n, err := t.src.Reader.Read(buf[len(buf) : len(buf)+chunk])
	t.buf, t.of = buf[:len(buf)+n], of
	t.short = n < chunk
	switch {
	case err == io.EOF:
		t.err = err
	case err != nil:
		t.err = t.where(err)
	}
}

// cut returns a batch if there is enough for one, or nil.
func (t *textReader) cut() *textBatch {
	if t.long {
		t.skipLong()
	}
	end, count, longest := 0, 0, 0
	for count < RowsPerBatch && end < batchBytes {
		n := t.format.record(t.buf[end:])
		if n == 0 || n > maxRecord {
			break
		}
		if why := t.format.refuse(t.buf[end : end+n]); why != "" {
			if end > 0 {
				return t.take(end, count, longest)
			}
			return t.one(n)
		}
		end += n
		count++
		longest = max(longest, n)
	}
	rest := len(t.buf) - end
	switch {
	case count == RowsPerBatch || end >= batchBytes:
	case end > 0 && (t.short || t.err != nil || rest > maxRecord):
	case rest == 0, rest <= maxRecord && t.err == nil:
		return nil
	default:
		return t.broken()
	}
	return t.take(end, count, longest)
}

// broken cuts off what stands at the beginning and is no whole record: the last one of a file,
// without a line end, a line that is too long, or the first line of a record that does not end.
func (t *textReader) broken() *textBatch {
	if n := len(t.buf); t.err != nil && n < maxRecord &&
		t.format.record(append(t.buf[:n:n], '\n')) == n+1 {
		return t.one(n)
	}
	i := bytes.IndexByte(t.buf, '\n')
	switch {
	case i >= 0 && i < maxRecord:
		return t.one(i + 1)
	case i < 0 && len(t.buf) <= maxRecord: // at the end of the file
		return t.one(len(t.buf))
	}
	b := t.take(0, 1, 0)
	b.refuse(fmt.Sprintf("the row is longer than %d MiB", maxRecord>>20))
	t.long = true
	return b
}

// one returns the first n bytes as a batch of one record, which the format may refuse.
func (t *textReader) one(n int) *textBatch {
	why := t.format.refuse(t.buf[:n])
	if why == "" {
		return t.take(n, 1, n)
	}
	b := t.take(n, 1, 0)
	b.refuse(why)
	return b
}

func (t *textReader) take(end, count, longest int) *textBatch {
	b := &textBatch{textReader: t, line: t.line, records: count, longest: longest}
	b.data, b.of = t.of.Part(t.buf[:end:end])
	t.drop(end)
	b.consumed = t.src.Position(t.off)
	return b
}

// drop moves on by n bytes.
func (t *textReader) drop(n int) {
	t.line += bytes.Count(t.buf[:n], newline)
	t.off += int64(n)
	t.buf = t.buf[n:]
}

// skipLong drops bytes up to the end of a line that was too long.
func (t *textReader) skipLong() {
	i := bytes.IndexByte(t.buf, '\n')
	if i < 0 {
		t.drop(len(t.buf))
		t.buf = nil
		return
	}
	t.drop(i + 1)
	t.long = false
}

// A textBatch is some records of a text. Of its reader only what does not change is used.
type textBatch struct {
	*textReader
	data    []byte
	of      *buffer.Buffer // that data is in, until Expand is done with it
	records int
	longest int    // bytes
	line    int    // of the first record
	refused string // why its only record is not taken apart, or empty

	consumed int64
	place    *rows.Place // nil inside of a line
}

// refuse says why the only record of b is not taken apart. Nothing of it is kept.
func (b *textBatch) refuse(why string) {
	b.of.Release()
	b.data, b.of, b.refused = nil, nil, why
}

func (b *textBatch) Consumed() int64 { return b.consumed }

// Place is the place behind the batch.
func (b *textBatch) Place() *rows.Place { return b.place }

func (b *textBatch) Size() int64 {
	return int64(len(b.data)) + recordCopies*int64(b.longest) + int64(b.records)*rows.RowSize
}

func (b *textBatch) Expand(emit func(*rows.Unit)) {
	defer b.of.Release()
	m := newMaker(b.spec, emit)
	if b.refused != "" {
		m.begin(inLine(b.src.Name, b.line))
		m.malformed(b.refused)
		m.emit()
		return
	}
	b.format.expand(b.data, b.src.Name, b.line, m)
}

func inLine(file string, line int) rows.Where {
	w := rows.In(file)
	w.Line = line
	return w
}
