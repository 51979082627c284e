package jsonfile

import (
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// This file counts the names that a table lacks. Only package ethereum uses it.

// Check checks each name of each object in value, which is valid JSON without white space
// (Value.Text). path is the path of value. Check adds a name that its table lacks to undefined, and
// skips the name's value. It returns the first error of Look.
func (t *Table) Check(value []byte, path string, undefined *rows.Fields) error {
	return t.CheckField(value, path, nil, undefined)
}

// CheckField is like Check, but value is the value of the given field of the object at path.
func (t *Table) CheckField(value []byte, path string, field []byte, undefined *rows.Fields) error {
	if value[0] != '{' && value[0] != '[' {
		return nil
	}
	var room [8]bracket
	open := room[:0]
	within := t // table of the objects that begin at value[i]
	for i := 0; i < len(value); {
		switch value[i] {
		case '{':
			open = append(open, bracket{table: within})
			i++
		case '[':
			open = append(open, bracket{inner: within})
			i++
		case '}', ']':
			if open = open[:len(open)-1]; len(open) == 0 {
				return nil
			}
			i++
		case ',':
			i++
		case '"':
			end := stringEnd(value, i)
			in := &open[len(open)-1]
			if in.table == nil { // a string in a list
				i = end
				break
			}
			in.name = unquote(value[i:end])
			i = end + 1 // after the closing quotation mark and the colon
			inner, defined, err := in.table.Look(&in.seen, in.name)
			switch {
			case err != nil:
				return err
			case !defined:
				if field != nil {
					path, field = Join(path, field), nil
				}
				undefined.Add(pathOf(path, open))
				i = valueEnd(value, i)
			case value[i] != '{' && value[i] != '[':
				i = valueEnd(value, i)
			}
			in.inner = inner
		default: // a number, true, false or null in a list
			i = valueEnd(value, i)
		}
		if len(open) > 0 {
			within = open[len(open)-1].inner
		}
	}
	return nil
}

// A bracket is an open object or list.
type bracket struct {
	table *Table // table of this object; nil for a list
	seen  Seen
	name  []byte // name of the current field
	inner *Table // table of the objects in that field's value, or in this list
}

// pathOf extends path by one step for each open object or list in brackets: the name of the
// object's current field, or [] for a list. Dots separate the names.
func pathOf(path string, brackets []bracket) string {
	var b strings.Builder
	b.WriteString(path)
	for i := range brackets {
		appendName(&b, brackets[i].table == nil, brackets[i].name)
	}
	return b.String()
}

// appendName appends one step to a path: [] for a list, or else a field's name.
func appendName(b *strings.Builder, list bool, name []byte) {
	switch {
	case list && b.Len() == 0: // an outermost list
		return
	case list:
		b.WriteString("[]")
		return
	case b.Len() > 0:
		b.WriteByte('.')
	}
	b.WriteString(Name(name))
}

// Join returns path with the name of a field appended.
func Join(path string, name []byte) string {
	if path == "" {
		return Name(name)
	}
	return path + "." + Name(name)
}

// Name formats a field's name for a path. It quotes a name that contains characters other than
// letters, digits and underscores, or that is long. It cuts a long name.
func Name(name []byte) string {
	plain := len(name) > 0 && len(name) <= 40
	for _, c := range name {
		plain = plain && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_')
	}
	if plain {
		return string(name)
	}
	return printable.Quote(name)
}

// Path returns the path of the reader's position: the names of the fields that are open, outermost
// first, joined by dots, with [] for each list.
func (r *Reader) Path() string {
	var b strings.Builder
	for i, bracket := range r.open {
		appendName(&b, bracket == '[', []byte(r.names[i]))
	}
	return b.String()
}

// Undefined skips the value of the field whose name was read last, and counts the name in
// undefined. The field's table must lack the name.
func (r *Reader) Undefined(undefined *rows.Fields) error {
	undefined.Add(r.Path())
	return r.Skip()
}

// Pass skips a value, and counts in undefined the names in it that its table t lacks.
func (r *Reader) Pass(t *Table, undefined *rows.Fields) error {
	c, err := r.Peek()
	switch {
	case err != nil:
		return err
	case c != '{' && c != '[':
		return r.Skip()
	}
	if _, err := r.Token(); err != nil {
		return err
	}
	var seen Seen
	for r.More() {
		inner := t
		if c == '{' {
			name, err := r.Token()
			if err != nil {
				return err
			}
			var defined bool
			inner, defined, err = t.Look(&seen, []byte(name.(string)))
			if err != nil {
				return r.Fail("%w", err)
			}
			if !defined {
				if err := r.Undefined(undefined); err != nil {
					return err
				}
				continue
			}
		}
		if err := r.Pass(inner, undefined); err != nil {
			return err
		}
	}
	_, err = r.Token()
	return err
}

// Answer returns the table of the field names of a JSON-RPC response. result is the table for the
// response's result.
func Answer(result *Table) *Table {
	return NewTable("jsonrpc", "id").With("error", noNames).With("result", result)
}
