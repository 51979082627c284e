package columns

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	// maxRecord is the maximum length of a row of text in bytes, without its line end.
	maxRecord = 1 << 20

	// maxCommas is the maximum number of commas in a row of CSV. Package csv takes up to 100 bytes
	// for each while it reads the row.
	maxCommas = 1 << 15
)

// A csvReader reads CSV (RFC 4180) with a header: fields are separated by commas, and quoted if
// necessary.
type csvReader struct {
	src    reading.Source
	spec   *Spec
	record recordReader
	buffer *bufio.Reader // the unread part of record
	csv    *csv.Reader

	head   []byte // beginning of the file up to the header, as the function Header returns it
	used   []Role // roles with a column
	at     detail
	offset int64 // number of bytes of the file before the next record
	err    error // Next returns this error after the rows that were read
}

// A detail is the data that a reader needs to resume at a place (see reading.Place).
type detail struct {
	Line int  `json:"line"` // number of the line after the last record, from 1
	Some bool `json:"some"` // there was a row
	// Fields and At describe the header, which the resuming reader does not read again. Fields is
	// its number of fields, and At the number, from 0, of each role's field.
	Fields int   `json:"fields"`
	At     []int `json:"at"`
}

// CSV returns a reader of the CSV table with a header in src. It can resume at a place after the
// header.
func CSV(src reading.Source, spec Spec) (reading.Reader, error) {
	if spec.Encoding == Binary {
		return nil, fmt.Errorf("%s: CSV holds text, not bytes", src.Name)
	}
	r := &csvReader{src: src, spec: &spec, record: recordReader{src: src.Reader}, used: spec.Used(),
		at: detail{Line: 1}, offset: src.From.Skipped()}
	r.buffer = bufio.NewReaderSize(&r.record, 64<<10)
	r.csv = newCSV(r.buffer)
	if src.From != nil {
		if err := r.resume(); err != nil {
			return nil, fmt.Errorf("%s: no place in it: %w", src.Name, err)
		}
		return r, nil
	}
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

func newCSV(in io.Reader) *csv.Reader {
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	return r
}

// resume sets r to the place src.From.
func (r *csvReader) resume() error {
	if err := r.src.From.Tell(&r.at); err != nil {
		return err
	}
	if r.at.Line < 1 || len(r.at.At) != int(Roles) {
		return fmt.Errorf("line %d, %d columns", r.at.Line, len(r.at.At))
	}
	for _, at := range r.at.At {
		if at < 0 || at >= r.at.Fields {
			return fmt.Errorf("field %d of %d", at, r.at.Fields)
		}
	}
	return nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readHeader reads the first record.
func (r *csvReader) readHeader() error {
	if mark, _ := r.buffer.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		r.buffer.Discard(len(mark))
		r.head = bytes.Clone(r.record.take(len(mark)))
	}
	r.offset = int64(len(r.head))
	line, fields, text, err := r.read()
	switch {
	case err == io.EOF:
		return r.where(r.at.Line, errors.New("an empty file"))
	case err != nil:
		return err
	case line.Fault != "":
		return r.where(line.Number, errors.New(line.Fault))
	}
	r.head = bytes.TrimSuffix(append(r.head, text...), newline)
	at, err := r.spec.Find(fields)
	if err != nil {
		return r.where(line.Number, err)
	}
	r.at.Fields, r.at.At = len(fields), at[:]
	return nil
}

// Header returns the beginning of the file that r reads, if it is CSV: the header without its line
// end, with the blank lines before it. For other tables it returns nil.
func Header(r reading.Reader) []byte {
	if r, ok := r.(*csvReader); ok {
		return r.head
	}
	return nil
}

// Close implements reading.Reader.
func (r *csvReader) Close() error { return nil }

// Next implements reading.Reader.
func (r *csvReader) Next() (reading.Batch, error) {
	b := &Batch{Spec: r.spec, File: r.src.Name}
	for r.err == nil && b.Rows < RowsPerBatch && b.Memory < reading.BatchBytes &&
		(b.Rows == 0 || reading.HasLine(r.buffer)) {
		r.err = r.add(b)
	}
	if r.err == io.EOF && !r.at.Some {
		r.err = r.where(r.at.Line, errors.New("a table without rows"))
	}
	if b.Rows == 0 {
		return nil, r.err
	}
	b.Read = r.src.Position(r.offset)
	b.After = reading.NewPlace(r.offset, r.at)
	return b, nil
}

// add reads the next record and adds it to b as a row.
func (r *csvReader) add(b *Batch) error {
	line, fields, text, err := r.read()
	if err != nil {
		return err
	}
	if line.Fault == "" && len(fields) != r.at.Fields {
		line.Fault = fmt.Sprintf("%d fields, and the header has %d", len(fields), r.at.Fields)
	}
	for _, role := range r.used {
		cells := &b.Cells[role]
		cells.Text = true
		switch {
		case line.Fault != "":
			cells.Add(nil)
		case fields[r.at.At[role]] == "":
			cells.Fault("empty")
		default:
			cells.Add([]byte(fields[r.at.At[role]]))
		}
	}
	if r.src.Raw {
		line.Raw = bytes.Clone(withoutBlanks(bytes.TrimSuffix(text, newline)))
	}
	b.Lines = append(b.Lines, line)
	b.Rows++
	b.Memory += int64(len(text))
	r.at.Some = true
	return nil
}

// read reads the next record. text is the record with its line end, and with the blank lines before
// it. It is valid until the next call, as are fields. line lacks Raw.
func (r *csvReader) read() (line Line, fields []string, text []byte, err error) {
	begin := r.csv.InputOffset()
	fields, err = r.csv.Read()
	text = r.record.take(int(r.csv.InputOffset() - begin))
	record := withoutBlanks(text)
	line.Number = r.at.Line
	if len(record) > 0 {
		line.Number += bytes.Count(text[:len(text)-len(record)], newline)
	}
	if err == io.EOF {
		r.at.Line += bytes.Count(text, newline)
		return line, nil, nil, err
	}

	var syntax *csv.ParseError
	whole := r.record.err == nil || bytes.HasSuffix(record, newline)
	switch {
	case err == nil:
		line.Fault = ambiguous(bytes.TrimSuffix(record, newline))
	case errors.As(err, &syntax) && whole:
		line.Fault = "not CSV: " + syntax.Err.Error()
	default: // package csv may take what a read error has cut off for an error of syntax
		return line, nil, nil, r.where(line.Number, cmp.Or(r.record.err, err))
	}
	if over := excess(text, bytes.Count(text, comma)); over != nil {
		return line, nil, nil, r.where(line.Number, over)
	}
	r.at.Line += bytes.Count(text, newline)
	r.offset += int64(len(text))
	return line, fields, text, nil
}

// where returns err with a line number.
func (r *csvReader) where(line int, err error) error {
	return &reading.Error{File: r.src.Name, Line: line, Err: err}
}

var newline, comma = []byte{'\n'}, []byte{','}

// withoutBlanks returns text without the blank lines before its first record.
func withoutBlanks(text []byte) []byte {
	for {
		line, rest, more := bytes.Cut(text, newline)
		switch {
		case len(bytes.TrimSuffix(line, []byte{'\r'})) > 0:
			return text
		case !more:
			return nil
		}
		text = rest
	}
}

// ambiguous returns a reason if record, without its "\n", has a character that package csv reads as
// part of a field, but that other programs read as the end of a row: they would find rows that were
// not verified. These are the line ends of Unicode outside of quotation marks, and NUL.
func ambiguous(record []byte) string {
	quoted := false
	for _, r := range string(bytes.TrimSuffix(record, []byte{'\r'})) {
		switch r {
		case '"':
			quoted = !quoted
		case 0:
			return "a NUL character"
		case '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			switch {
			case quoted:
			case r == '\r':
				return reading.LoneReturn
			default:
				return fmt.Sprintf("%U outside of quotation marks, which some programs read as a line end", r)
			}
		}
	}
	return ""
}

// A recordReader passes a text on to package csv, and fails within a record that is over a limit.
// Package csv alone would keep a record of any length.
type recordReader struct {
	src    io.Reader
	text   bytes.Buffer // bytes that were passed on after the end of the last record
	commas int          // number of commas in text, without those of the last read
	last   int          // number of bytes of the last read
	err    error        // error of src, except for io.EOF, or of a record
}

// Read implements io.Reader. All of text belongs to the record that package csv is reading.
func (r *recordReader) Read(b []byte) (n int, err error) {
	text := r.text.Bytes()
	r.commas += bytes.Count(text[max(0, len(text)-r.last):], comma)
	if r.err == nil {
		r.err = excess(text, r.commas)
	}
	if r.err != nil {
		return 0, r.err
	}
	r.last, err = r.src.Read(b)
	r.text.Write(b[:r.last])
	if err != io.EOF {
		r.err = err
	}
	return r.last, err
}

// take removes the first n bytes of text, which are a record, and returns them. The result is valid
// until the next call of Read.
func (r *recordReader) take(n int) []byte {
	r.commas = 0
	return r.text.Next(n)
}

// excess returns an error if a record with the given number of commas is over a limit. text is the
// record or the beginning of it, with the blank lines before it.
func excess(text []byte, commas int) error {
	if commas > maxCommas {
		return fmt.Errorf("more than %d commas in a row", maxCommas)
	}
	if len(text) <= maxRecord+1 {
		return nil
	}
	record := bytes.TrimRight(withoutBlanks(text), "\r\n")
	switch {
	case len(record) < maxRecord:
		return fmt.Errorf("more than %d MiB of blank lines before a row", maxRecord>>20)
	case bytes.Contains(record, newline):
		return fmt.Errorf("the row is longer than %d MiB: a quotation mark opens a field that goes on "+
			"after its line", maxRecord>>20)
	}
	return fmt.Errorf("the row is longer than %d MiB", maxRecord>>20)
}
