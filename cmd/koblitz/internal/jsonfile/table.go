package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// maxNames is the most names that a table may have.
const maxNames = 128

// A Table lists the names that a format defines for the fields of one kind of object. A name may
// have a table for the objects in the field's value, which is an object or a list of objects.
//
// JSON does not define the meaning of a name that occurs twice in one object, and encoding/json
// takes the last one and ignores the case of letters. Two readers of the same text could so see
// different values, and the signature that one verifies would not be the one that the other uses. A
// Table rejects repeated names and names that differ only in case.
type Table struct {
	list  []string
	at    map[string]int
	inner []*Table // table of the objects in each name's value, or nil
	caps  bool     // a name contains a capital letter
}

// NewTable returns a table of the given names, without tables for their values.
func NewTable(names ...string) *Table {
	t := &Table{at: make(map[string]int, len(names))}
	for _, name := range names {
		t.add(name, nil)
	}
	return t
}

// With adds a name with the table of the objects in its value, and returns t.
func (t *Table) With(name string, inner *Table) *Table {
	t.add(name, inner)
	return t
}

// And adds the names of other tables, and returns t. Tables with the same name must have the same
// table for the objects in its value.
func (t *Table) And(others ...*Table) *Table {
	for _, o := range others {
		for i, name := range o.list {
			t.add(name, o.inner[i])
		}
	}
	return t
}

func (t *Table) add(name string, inner *Table) {
	if i, ok := t.at[name]; ok {
		if t.inner[i] != inner {
			panic("jsonfile: two tables for " + name)
		}
		return
	}
	if len(t.list) == maxNames {
		panic("jsonfile: too many names in a table")
	}
	t.at[name] = len(t.list)
	t.list, t.inner = append(t.list, name), append(t.inner, inner)
	t.caps = t.caps || bytes.ContainsFunc([]byte(name), foldable)
}

// foldable reports whether encoding/json may equate r with a lowercase letter.
func foldable(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 0x80 }

// noNames is the table of an object without any defined name.
var noNames = NewTable()

// A Seen is the set of a table's names that an object has had so far.
type Seen [maxNames / 64]uint64

// Look reports whether a table has the name of a field, and returns the table of the objects in the
// field's value. It returns an error for a second field with that name, and for a name that differs
// from one of the table only in the case of letters.
func (t *Table) Look(seen *Seen, name []byte) (inner *Table, defined bool, err error) {
	i, ok := t.at[string(name)]
	if !ok {
		return nil, false, t.alike(name)
	}
	word, bit := &seen[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		return nil, true, fmt.Errorf("%q comes a second time", name)
	}
	*word |= bit
	if inner = t.inner[i]; inner == nil {
		inner = noNames
	}
	return inner, true, nil
}

// alike returns an error if name differs from one of the table only in the case of letters.
func (t *Table) alike(name []byte) error {
	if !t.caps && !bytes.ContainsFunc(name, foldable) {
		return nil
	}
	for _, known := range t.list {
		if bytes.EqualFold(name, []byte(known)) {
			return fmt.Errorf("the name %s may be taken for %q", printable.Quote(name), known)
		}
	}
	return nil
}

// Check checks every name of every object in value, which is valid JSON without white space
// (Value.Text) at the given path. Names that are not in the table are counted in undefined, and
// their values are skipped. Check returns the first error of Look.
func (t *Table) Check(value []byte, path string, undefined *rows.Fields) error {
	return t.CheckField(value, path, nil, undefined)
}

// CheckField is like Check, for the value of a field of the object at path.
func (t *Table) CheckField(value []byte, path string, field []byte, undefined *rows.Fields) error {
	if value[0] != '{' && value[0] != '[' {
		return nil
	}
	var room [8]bracket
	open := room[:0]
	within := t // the table of an object that begins here
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
			if in.table == nil { // in a list
				i = end
				break
			}
			in.name = unquote(value[i:end])
			i = end + 1 // after the colon
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
	table *Table // the object's table; nil for a list
	seen  Seen
	name  []byte // name of the current field
	inner *Table // table of the objects in the value of that field, or in the list
}

// pathOf appends the names of the open fields to path, joined by dots, with [] for each list.
func pathOf(path string, open []bracket) string {
	var b strings.Builder
	b.WriteString(path)
	for i := range open {
		appendName(&b, open[i].table == nil, open[i].name)
	}
	return b.String()
}

// appendName appends one step of a path: into a list, or to a field of an object.
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

// Join appends a name to a path.
func Join(path string, name []byte) string {
	if path == "" {
		return Name(name)
	}
	return path + "." + Name(name)
}

// Name formats a name for a path. It quotes a name with other characters than letters, digits and
// underscores, and cuts a long name.
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

// Path returns the path of the reader's place from the outermost object: the names of the open
// fields, joined by dots, with [] for each list.
func (r *Reader) Path() string {
	var b strings.Builder
	for i, bracket := range r.open {
		appendName(&b, bracket == '[', []byte(r.names[i]))
	}
	return b.String()
}

// Undefined skips the value of the field that was read last, which no table defines, and counts the
// name.
func (r *Reader) Undefined(undefined *rows.Fields) error {
	undefined.Add(r.Path())
	return r.Skip()
}

// Pass skips a value. t is the table of the objects in it: names that are not in t are counted in
// undefined.
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

// stringEnd returns the offset after the string that begins at i.
func stringEnd(value []byte, i int) int {
	for i++; ; {
		quote := bytes.IndexByte(value[i:], '"')
		if quote < 0 {
			return len(value)
		}
		escapes := 0
		for escapes < quote && value[i+quote-1-escapes] == '\\' {
			escapes++
		}
		i += quote + 1
		if escapes%2 == 0 {
			return i
		}
	}
}

// unquote decodes a quoted string like encoding/json: each byte that is not valid UTF-8 becomes
// U+FFFD.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	return []byte(s)
}
