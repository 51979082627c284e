package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
		Longest: maxRecord,
		Copies:  objectCopies, Batch: RowsPerBatch,
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
	scratch []byte
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
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		r, err := j.role(name)
		if err != nil {
			return err
		}
		if r == Roles {
			err = d.SkipValue()
		} else {
			err = j.cell(r)
		}
		if err != nil {
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

// role returns the role of the column with the given quoted name, or the constant Roles if the
// column has no role.
func (j *jsonReader) role(quoted []byte) (Role, error) {
	name, err := j.text(quoted)
	if err != nil {
		return Roles, err
	}
	for _, r := range j.m.used {
		if string(name) == j.m.spec.Names[r] {
			return r, nil
		}
	}
	return Roles, j.m.spec.alike(string(name))
}

// text decodes a quoted string. The result is valid until the next call.
func (j *jsonReader) text(quoted []byte) ([]byte, error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	out, err := jsontext.AppendUnquote(j.scratch[:0], quoted)
	j.scratch = out
	return out, err
}

// cell reads the value of the column with role r.
func (j *jsonReader) cell(r Role) error {
	j.seen[r] = true
	kind := j.decoder.PeekKind()
	value, err := j.decoder.ReadValue()
	if err != nil {
		return err
	}
	switch kind {
	case '"':
		text, err := j.text(value)
		if err != nil {
			return err
		}
		if len(text) > MaxCell {
			j.m.fault(r, tooLong(len(text)))
			return nil
		}
		j.m.set(r, text, true)
	case 'n':
		j.m.fault(r, Null)
	default:
		names := map[jsontext.Kind]string{'t': "a boolean", 'f': "a boolean", '0': "a number",
			'{': "an object", '[': "a list"}
		j.m.fault(r, names[kind]+" instead of a string")
	}
	return nil
}
