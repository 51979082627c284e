package columns

import (
	"bytes"
	"errors"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/lines"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// maxRecord is the maximum length of a row of text in bytes, without its line end.
	maxRecord = 1 << 20

	// recordCopies is the maximum memory for reading a row, as a multiple of the row's length. CSV
	// needs it for the text of the fields, and JSON for the names of an object, which are kept to
	// detect a repeated name.
	recordCopies = 8

	// maxCommas is the maximum number of commas in a row of CSV. Each comma takes up to 100 bytes
	// while the row is read.
	maxCommas = 1 << 15
)

// A textReader reads a table of CSV or JSONL.
type textReader struct {
	lines.Reader
	head []byte // beginning of CSV up to the header, as Header returns it; nil if it was not read
}

func newText(src rows.Source, format lines.Format) *textReader {
	t := &textReader{Reader: lines.Reader{Source: src, Format: format, Line: 1,
		Limits: lines.Limits{Record: maxRecord + 1, Name: "row", Copies: recordCopies,
			Batch: RowsPerBatch, Half: true}}}
	t.Empty = func() error { return t.Where(errors.New("a table without rows")) }
	return t
}

// Header returns the beginning of the file up to the line end of the header of CSV, with the blank
// lines before it. For JSONL it returns nil.
func (t *textReader) Header() []byte { return t.head }

var newline = []byte{'\n'}

// text holds the fields and methods that csvFormat and jsonFormat share.
type text struct {
	spec *Spec
	file string
}

func (x *text) Blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

func (x *text) Reject(line int, why string, emit func(*rows.Unit)) {
	m := newMaker(x.spec, emit)
	m.begin(lines.In(x.file, line))
	m.malformed(why)
	m.emit()
}
