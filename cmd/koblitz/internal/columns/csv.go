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

	// maxCommas is the maximum number of commas in a row of CSV. Package csv takes up to csvCopies
	// bytes for each while it reads the row.
	maxCommas = 1 << 15
	csvCopies = 100
)

// A csvReader reads CSV (RFC 4180) with a header: fields are separated by commas, and quoted if
// necessary. A row is one line: a line in which a quotation mark opens a field, and none closes it,
// is malformed.
type csvReader struct {
	reading.Reader
	head []byte // as the function Header returns it
}

// A csvPlace holds the data in a reading.Place that the function CSV needs. The reader of lines
// keeps the header in all its places.
type csvPlace struct {
	Line int    `json:"line"` // number of the line at the place, from 1
	Head []byte `json:"head"` // the header without its line end
}

// CSV returns a reader of the CSV table with a header in src. It can resume at a place after the
// header.
func CSV(src reading.Source, spec Spec) (reading.Reader, error) {
	if spec.Encoding == Binary {
		return nil, fmt.Errorf("%s: CSV holds text, not bytes", src.Name)
	}
	place := csvPlace{Line: 1}
	var err error
	if src.From == nil {
		in := bufio.NewReaderSize(src.Reader, maxRecord+1)
		src.Reader = in
		src.From, err = readHeader(in, &place)
	} else if err = src.From.Tell(&place); err != nil {
		err = fmt.Errorf("no place in it: %w", err)
	}
	var at [Roles]int
	var names []string
	if err == nil {
		names, err = newLineParser().fields(bytes.TrimPrefix(place.Head, byteOrderMark))
	}
	if err == nil {
		at, err = spec.Find(names)
	}
	if err != nil {
		return nil, &reading.Error{File: src.Name, Line: place.Line, Err: err}
	}
	count := len(names)
	lines := reading.NewLines(src, reading.LineFormat{Name: "row", Empty: "a table without rows",
		Longest: maxRecord, Copies: csvCopies, Batch: RowsPerBatch,
		Parser: func(emit func(*reading.Unit)) func([]byte, reading.Where) {
			p, m := newLineParser(), newMaker(&spec, emit)
			return func(line []byte, where reading.Where) {
				m.begin(where)
				m.unit.Raw = line
				fields, err := p.fields(line)
				if err == nil && len(fields) != count {
					err = fmt.Errorf("%d fields, and the header has %d", len(fields), count)
				}
				if err != nil {
					m.reason = err.Error()
				} else {
					m.fields(fields, &at)
				}
				m.emit()
			}
		}})
	return &csvReader{lines, place.Head}, nil
}

// fields decodes the fields of a row. Field at[r] belongs to the column with role r.
func (m *maker) fields(fields []string, at *[Roles]int) {
	for _, r := range m.used {
		if field := fields[at[r]]; field == "" {
			m.fault(r, "empty")
		} else {
			m.set(r, []byte(field), true)
		}
	}
}

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	newline       = []byte{'\n'}
	comma         = []byte{','}
)

// readHeader reads the first line that is not blank. It returns the place after the line, and sets
// place.Head. It sets place.Line to the number of the header's line for an error.
func readHeader(in *bufio.Reader, place *csvPlace) (*reading.Place, error) {
	offset := int64(0)
	if mark, _ := in.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		in.Discard(len(mark))
		offset, place.Head = int64(len(mark)), byteOrderMark
	}
	for {
		line, err := in.ReadSlice('\n')
		offset += int64(len(line))
		text := bytes.TrimSuffix(line, newline)
		switch blank := len(bytes.TrimSuffix(text, []byte{'\r'})) == 0; {
		case err == bufio.ErrBufferFull:
			return nil, fmt.Errorf("the row is longer than %d MiB", maxRecord>>20)
		case err != nil && err != io.EOF:
			return nil, err
		case err == io.EOF && blank:
			return nil, errors.New("an empty file")
		case blank:
			place.Line++
			continue
		}
		place.Head = bytes.Join([][]byte{place.Head, text}, nil)
		next := *place
		next.Line += len(line) - len(text)
		return reading.NewPlace(offset, next), nil
	}
}

// Header returns the header of the file that r reads, if it is CSV, without its line end. For other
// tables it returns nil.
func Header(r reading.Reader) []byte {
	if r, ok := r.(*csvReader); ok {
		return r.head
	}
	return nil
}

// A lineParser parses lines of CSV.
type lineParser struct {
	line bytes.Buffer
	csv  *csv.Reader // of line
}

func newLineParser() *lineParser {
	p := new(lineParser)
	p.csv = csv.NewReader(&p.line)
	p.csv.FieldsPerRecord = -1
	p.csv.ReuseRecord = true
	return p
}

// fields returns the fields of line, which is not blank and lacks its "\n". They are valid until
// the next call.
func (p *lineParser) fields(line []byte) ([]string, error) {
	if bytes.Count(line, comma) > maxCommas {
		return nil, fmt.Errorf("more than %d commas in a row", maxCommas)
	}
	p.line.Write(line)
	p.line.Write(newline)
	fields, err := p.csv.Read()
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		err = fmt.Errorf("not CSV, with a row in one line: %w", syntax.Err)
	}
	return fields, cmp.Or(err, ambiguous(line))
}

// ambiguous returns an error if line, without its "\n", has a character that package csv reads as
// part of a field, but that other programs read as the end of a row: they would find rows that were
// not verified. These are the line ends of Unicode outside of quotation marks, and NUL.
func ambiguous(line []byte) error {
	quoted := false
	for _, r := range string(bytes.TrimSuffix(line, []byte{'\r'})) {
		switch r {
		case '"':
			quoted = !quoted
		case 0:
			return errors.New("a NUL character")
		case '\r':
			return errors.New(reading.LoneReturn)
		case '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			if !quoted {
				return fmt.Errorf("%U outside of quotation marks, which some programs read as a line end", r)
			}
		}
	}
	return nil
}
