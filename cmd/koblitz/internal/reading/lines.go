package reading

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A LineFormat describes a text with one record per line, and how to parse the lines.
type LineFormat struct {
	// Parser returns a function that emits the Units of a line. The line is not blank and
	// lacks its "\n".
	Parser func(emit func(*Unit)) func(line []byte, where Where)
	// Name is the word for a line in error messages, such as "row".
	Name string
	// Empty is the error text for a text without lines, or with blank lines alone.
	Empty string
	// Longest is the maximum length of a line in bytes, without its "\n". It keeps a file without
	// line ends from filling memory.
	Longest int
	// Copies is the maximum memory for parsing a line, as a multiple of its length.
	Copies int
	// Batch is the number of Units at which a batch is complete.
	Batch int
	// Rows returns an upper bound on the number of Units of a line, at least 1. If Rows is nil, each
	// line has one Unit.
	Rows func(line []byte) int
}

// BatchBytes is the length in bytes at which a batch is complete, even with fewer lines.
const BatchBytes = 256 << 10

// NewLines returns a reader of the lines of src. It can resume at a place.
func NewLines(src Source, format LineFormat) Reader {
	r := &lineReader{src: src, format: &format, at: lineDetail{Line: 1}, offset: src.From.Skipped(),
		in: bufio.NewReaderSize(src.Reader, format.Longest+1)}
	err := src.From.Tell(&r.at)
	if err == nil && r.at.Line < 1 {
		err = fmt.Errorf("line %d", r.at.Line)
	}
	if err != nil {
		r.err = &Error{File: src.Name, Offset: -1, Err: fmt.Errorf("no place in it: %w", err)}
	}
	return r
}

// A lineDetail is the data that a reader needs to resume at a place (see Place).
type lineDetail struct {
	Line int  `json:"line"` // number of the line at the place, from 1
	Some bool `json:"some"` // a line before the place is not blank
	// Head is text from the place at which the reader began. All places have it.
	Head []byte `json:"head,omitempty"`
}

// A lineReader implements Reader.
type lineReader struct {
	src    Source
	format *LineFormat
	in     *bufio.Reader // its buffer has room for the longest line
	at     lineDetail    // the next line
	offset int64         // number of bytes of the source before it
	err    error         // Next returns this error after the lines that were read
	long   bool          // the last batch ends within a line that is too long
	length int           // length of the last batch's text
}

// Close implements Reader. It has nothing to close.
func (r *lineReader) Close() error { return nil }

// Next implements Reader.
func (r *lineReader) Next() (Batch, error) {
	for r.long {
		r.long = false
		r.read()
	}
	b := &lineBatch{format: r.format, file: r.src.Name, line: r.at.Line,
		text: make([]byte, 0, r.length+r.length/8)}
	for r.err == nil && !r.long && b.count < r.format.Batch && len(b.text) < BatchBytes &&
		(b.count == 0 || HasLine(r.in)) {
		if line := r.read(); len(line) > 0 {
			b.add(line, r.long)
			r.at.Some = r.at.Some || r.long || !blank(line)
		}
	}
	if r.err == io.EOF && !r.at.Some {
		r.err = &Error{File: r.src.Name, Line: r.at.Line, Err: errors.New(r.format.Empty)}
	}
	if b.count == 0 {
		return nil, r.err
	}
	r.length = min(len(b.text), BatchBytes)
	b.Read = r.src.Position(r.offset)
	b.Memory = int64(cap(b.text) + r.format.Copies*b.longest + (1+b.count)*RowSize + 2*len(r.at.Head))
	if !r.long {
		b.After = NewPlace(r.offset, r.at)
	}
	return b, nil
}

// HasLine reports whether the buffer of r has the end of a line. Otherwise the next line must be
// waited for, and the lines before it need not wait as well.
func HasLine(r *bufio.Reader) bool {
	read, _ := r.Peek(r.Buffered())
	return bytes.IndexByte(read, '\n') >= 0
}

// read reads the next line with its line end, or the last one without. If it is too long, read
// returns as much of it as the buffer has, and sets r.long. Before a read error, which may have cut
// the line off, it returns nothing. The result is valid until the next call.
func (r *lineReader) read() []byte {
	line, err := r.in.ReadSlice('\n')
	switch err {
	case nil:
		r.at.Line++
	case bufio.ErrBufferFull:
		r.long = true
	case io.EOF:
		r.err = err
	default:
		r.err = &Error{File: r.src.Name, Line: r.at.Line, Err: err}
		return nil
	}
	r.offset += int64(len(line))
	return line
}

var newline = []byte{'\n'}

// blank reports whether b consists of JSON white space (RFC 8259, section 2). Unicode has more
// kinds of white space, which JSON does not allow.
func blank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

// LoneReturn is the reason that makes a line malformed if it has a carriage return before its last
// byte. JSON and CSV allow that in some places, but many programs read it as the end of a line, and
// would find rows that were not verified.
const LoneReturn = "a carriage return in the midst of a line"

// A lineBatch is a range of lines of a text.
type lineBatch struct {
	format  *LineFormat
	file    string
	line    int // number of the first line
	text    []byte
	count   int // upper bound on the number of units
	longest int
	tooLong bool // after text comes a line that is too long, and is not in text

	Part
}

// add adds a copy of a line to the batch. tooLong reports whether it is too long.
func (b *lineBatch) add(line []byte, tooLong bool) {
	rows := 1
	if b.tooLong = tooLong; !tooLong {
		if b.format.Rows != nil {
			rows = b.format.Rows(line)
		}
		b.text = append(b.text, line...)
		b.longest = max(b.longest, len(line))
	}
	b.count += rows
}

func (b *lineBatch) Expand(emit func(*Unit)) {
	where := In(b.file)
	where.Line = b.line
	reject := func(why string) {
		emit(&Unit{Where: where, Decided: Malformed, Reason: why})
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
	if b.tooLong {
		reject(fmt.Sprintf("the %s is longer than %d MiB", b.format.Name, b.format.Longest>>20))
	}
}
