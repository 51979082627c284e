package columns

import (
	"errors"
	"fmt"
)

// A detail is what a reader of text needs that begins at a place (rows.Place).
type detail struct {
	Line int  `json:"line"` // there, from 1
	Some bool `json:"some"` // there was a row before it
	// Fields and At are about CSV alone, whose header is not read again: the number of its fields,
	// and for each role the number of its field, from 0.
	Fields int   `json:"fields,omitempty"`
	At     []int `json:"at,omitempty"`
}

var errNoPlace = errors.New("no place in it")

// resume moves t, of which nothing has been read, to the place at which src begins.
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

// restore takes the header from d.
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
