package columns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// JSONL returns a reader of the table in src with one JSON object per line. The names in the object
// are the column names. Names in nested objects are not columns. The reader can resume at a place.
func JSONL(src reading.Source, spec Spec) (reading.Reader, error) {
	if spec.Encoding == Binary {
		return nil, fmt.Errorf("%s: JSON holds text, not bytes", src.Name)
	}
	return reading.NewLines(src, reading.LineFormat{Name: "row", Empty: "a table without rows",
		Longest: maxRecord, Copies: objectCopies, Batch: RowsPerBatch,
		Parser: func(emit func(*reading.Unit)) func([]byte, reading.Where) {
			j := &jsonReader{decoder: jsontext.NewDecoder(new(bytes.Buffer)), m: newMaker(&spec, emit)}
			return j.row
		}}), nil
}

// objectCopies is the maximum memory for reading an object, as a multiple of its length: the names
// of an object are kept to detect a repeated name.
const objectCopies = 8

// syntaxReason returns the text of an error of jsonReader. It cuts a repeated name.
func syntaxReason(err error) string {
	var e *jsontext.SyntacticError
	if errors.As(err, &e) && e.Err == jsontext.ErrDuplicateName {
		return fmt.Sprintf("%v %s", e.Err, reading.Quote(e.JSONPointer.LastToken()))
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// A jsonReader reads one object per line. It returns an error for a name that an object repeats.
type jsonReader struct {
	decoder *jsontext.Decoder
	m       *maker
	seen    [Roles]bool
}

// row emits the reading.Unit of a line.
func (j *jsonReader) row(line []byte, where reading.Where) {
	j.m.begin(where)
	j.m.unit.Raw = line
	if err := j.read(line); err != nil {
		j.m.reason = syntaxReason(err) // it replaces the fault of a single cell
	}
	j.m.emit()
}

var errNoObject = errors.New("not JSON: a row is an object {…}")

func (j *jsonReader) read(line []byte) error {
	d := j.decoder
	d.Reset(bytes.NewBuffer(line))
	j.seen = [Roles]bool{}
	if d.PeekKind() != '{' {
		return errNoObject
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := j.field(name.String()); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil { // the closing bracket, or an error
		return err
	}
	switch _, err := d.ReadToken(); {
	case err == nil:
		return errors.New("not JSON: more than one value in the line")
	case err != io.EOF:
		return err
	}
	for _, r := range j.m.used {
		if !j.seen[r] {
			j.m.fault(r, "missing")
		}
	}
	return nil
}

// field reads the value of the column with the given name.
func (j *jsonReader) field(name string) error {
	r := Role(slices.Index(j.m.spec.Names[:], name))
	if r < 0 || name == "" {
		return cmp.Or(j.m.spec.alike(name), j.decoder.SkipValue())
	}
	j.seen[r] = true
	switch kind := j.decoder.PeekKind(); kind {
	case '"':
		text, err := j.decoder.ReadToken()
		if err != nil {
			return err
		}
		j.m.set(r, []byte(text.String()), true)
		return nil
	case 'n':
		j.m.fault(r, Null)
	default:
		names := map[jsontext.Kind]string{'t': "a boolean", 'f': "a boolean", '0': "a number",
			'{': "an object", '[': "a list"}
		j.m.fault(r, names[kind]+" instead of a string")
	}
	return j.decoder.SkipValue()
}
