package columns

import (
	"errors"
	"fmt"
)

// A detail is the data, stored in a rows.Place, that a reader of CSV or JSONL needs to resume.
type detail struct {
	Line int  `json:"line"` // line number, from 1
	Some bool `json:"some"` // there is a row before the place
	// Fields and At describe the header of CSV, which the resuming reader does not read again.
	// Fields is its number of fields, and At the number, from 0, of each role's field.
	Fields int   `json:"fields,omitempty"`
	At     []int `json:"at,omitempty"`
}

var errNoPlace = errors.New("no place in it")

// resume sets t to the place src.From. t must not have read anything yet.
func (t *textReader) resume(d *detail) error {
	if err := t.Source.From.Tell(d); err != nil {
		return fmt.Errorf("%s: %w: %w", t.Source.Name, errNoPlace, err)
	}
	if d.Line < 1 {
		return fmt.Errorf("%s: %w: line %d", t.Source.Name, errNoPlace, d.Line)
	}
	t.Line, t.Some, t.Off = d.Line, d.Some, t.Source.From.Skipped()
	return nil
}

// Detail implements lines.Format.
func (f *csvFormat) Detail(line int, some bool) any {
	return detail{Line: line, Some: some, Fields: f.header, At: f.fields[:]}
}

// restore sets the number of fields in the header, and the field of each role, from d. It fails if
// d is not valid.
func (f *csvFormat) restore(d *detail) error {
	if len(d.At) != int(Roles) {
		return fmt.Errorf("%w: %d columns", errNoPlace, len(d.At))
	}
	for r, at := range d.At {
		if at < 0 || at >= d.Fields {
			return fmt.Errorf("%w: field %d of %d", errNoPlace, at, d.Fields)
		}
		f.fields[r] = at
	}
	f.header = d.Fields
	return nil
}
