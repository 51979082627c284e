package columns

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/lines"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A csvFormat reads CSV (RFC 4180) with a header: fields are separated by commas, and quoted if
// necessary.
type csvFormat struct {
	text
	header int        // number of fields in the header
	fields [Roles]int // number of the field for each role
	used   []Role     // roles with a column
}

// CSV returns a reader of the CSV table with a header in src. It can resume at a place after the
// header.
func CSV(src rows.Source, spec Spec) (rows.Reader, error) {
	f := &csvFormat{text: text{&spec, src.Name}, used: spec.Used()}
	t := newText(src, f)
	if spec.Encoding == Binary {
		return nil, fmt.Errorf("%s: CSV holds text, not bytes", src.Name)
	}
	if src.From != nil {
		var d detail
		if err := t.resume(&d); err != nil {
			return nil, err
		}
		if err := f.restore(&d); err != nil {
			return nil, fmt.Errorf("%s: %w", src.Name, err)
		}
		return t, nil
	}
	header, err := f.readHeader(t)
	if err != nil {
		return nil, err
	}
	if err := f.resolve(&spec, header); err != nil {
		return nil, &rows.Error{File: src.Name, Line: 1, Err: err}
	}
	return t, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readHeader reads the first record that is not blank.
func (f *csvFormat) readHeader(t *textReader) ([]string, error) {
	for {
		n := f.Record(t.Buf)
		if n == 0 && t.Err == io.EOF {
			n = len(t.Buf)
		}
		switch {
		case max(n, len(t.head)) > maxRecord || n == 0 && len(t.Buf) > maxRecord:
			return nil, t.Where(fmt.Errorf("a header of more than %d MiB", maxRecord>>20))
		case n == 0 && t.Err == io.EOF:
			return nil, t.Where(errors.New("an empty file"))
		case n == 0 && t.Err != nil:
			return nil, t.Err
		case n == 0:
			t.Fill()
			continue
		}
		line := t.Buf[:n]
		why := f.Refuse(line)
		if why == "" {
			why = ambiguous(bytes.TrimSuffix(line, newline))
		}
		if why != "" {
			return nil, &rows.Error{File: t.Source.Name, Line: t.Line, Err: errors.New(why)}
		}
		t.head = append(t.head, line...)
		if t.Off == 0 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		fields, err := newCSV(line).Read()
		if err != nil && err != io.EOF {
			return nil, &rows.Error{File: t.Source.Name, Line: t.Line, Err: csvError(err)}
		}
		t.Drop(n)
		if err == nil {
			t.head = bytes.TrimSuffix(t.head, newline)
			return fields, nil
		}
	}
}

func newCSV(b []byte) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	return r
}

// csvError returns an error of package csv without its line number, which counts from the start of
// a batch and not of the file.
func csvError(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("not CSV: %w", err)
}

// resolve finds, in the header, the field of each column that spec names.
func (f *csvFormat) resolve(spec *Spec, header []string) error {
	f.header = len(header)
	for _, r := range f.used {
		at := -1
		for i, name := range header {
			if name != spec.Names[r] {
				continue
			}
			if at >= 0 {
				return fmt.Errorf("there are two columns %q", Short(name))
			}
			at = i
		}
		if at < 0 {
			return fmt.Errorf("there is no column %q; there are %s", Short(spec.Names[r]),
				Listed(header))
		}
		f.fields[r] = at
	}
	for _, name := range header {
		if err := spec.Alike(name); err != nil {
			return err
		}
	}
	return nil
}

// Record implements lines.Format.
func (f *csvFormat) Record(b []byte) int {
	line := bytes.IndexByte(b, '\n') + 1
	if line == 0 || bytes.IndexByte(b[:line], '"') < 0 {
		return line
	}
	return f.Rest()(b)
}

// Rest implements lines.Format.
func (f *csvFormat) Rest() func([]byte) int {
	s := fieldStart
	return func(part []byte) int {
		for i, c := range part {
			if c == '\n' && s != inQuotes {
				return i + 1
			}
			s = s.next(c)
		}
		return 0
	}
}

// A csvState is a position in a record by the rules of package csv: a quotation mark opens a quoted
// field only at the start of a field, and after an error the next record starts on the next line.
type csvState uint8

const (
	fieldStart csvState = iota + 1
	inField
	inQuotes
	afterQuote // after a quotation mark in quotes; it ends the field unless another one follows
	afterError
)

// next returns the state after the byte c, which is not the end of the record.
func (s csvState) next(c byte) csvState {
	switch {
	case s == inQuotes && c == '"':
		return afterQuote
	case s == inQuotes, c == '"' && (s == fieldStart || s == afterQuote):
		return inQuotes
	case s == afterError:
		return afterError
	case c == ',':
		return fieldStart
	case s == afterQuote, c == '"':
		return afterError
	}
	return inField
}

// Refuse refuses records with more than maxCommas commas, because package csv takes 40 bytes for
// each field, and as much again while its slices grow.
func (f *csvFormat) Refuse(record []byte) string {
	if len(record) > maxCommas && bytes.Count(record, []byte{','}) > maxCommas {
		return fmt.Sprintf("more than %d commas in a row", maxCommas)
	}
	return ""
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
				return lines.LoneReturn
			default:
				return fmt.Sprintf("%U outside of quotation marks, which some programs read as a line end", r)
			}
		}
	}
	return ""
}

// Expand implements lines.Format.
func (f *csvFormat) Expand(b []byte, first int, emit func(*rows.Unit)) {
	m := newMaker(f.spec, emit)
	r := newCSV(b)
	for {
		begin := r.InputOffset()
		fields, err := r.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			m.begin(lines.In(f.file, first+errorLine(err)-1))
			m.malformed(csvError(err).Error())
			m.emit()
			continue
		}
		line, _ := r.FieldPos(0)
		m.begin(lines.In(f.file, first+line-1))
		m.unit.Raw = withoutBlanks(b[begin:r.InputOffset()])
		if why := ambiguous(m.unit.Raw); why != "" {
			m.malformed(why)
		} else if len(fields) != f.header {
			m.malformed(fmt.Sprintf("%d fields, and the header has %d", len(fields), f.header))
		} else {
			for _, role := range f.used {
				f.cell(m, role, fields[f.fields[role]])
			}
		}
		m.emit()
	}
}

// withoutBlanks returns text, which is a record, without the blank lines before the record and
// without its line end.
func withoutBlanks(text []byte) []byte {
	text = bytes.TrimSuffix(text, newline)
	for {
		line, rest, more := bytes.Cut(text, newline)
		if !more || len(bytes.TrimSuffix(line, []byte{'\r'})) > 0 {
			return text
		}
		text = rest
	}
}

// errorLine returns the line, from 1, in which the erroneous record starts.
func errorLine(err error) int {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return p.StartLine
	}
	return 1
}

// cell passes to m the field of the column with role r. An empty field in CSV is null.
func (f *csvFormat) cell(m *maker, r Role, field string) {
	switch {
	case field == "":
		m.fault(r, "empty")
	case len(field) > MaxCell:
		m.fault(r, tooLong(len(field)))
	default:
		m.set(r, []byte(field), true)
	}
}
