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

// maxNames is the maximum number of names in a Table.
const maxNames = 128

// A Table lists the names that a format defines for the fields of one kind of object. If the value
// of a field is an object or a list of objects, the field's name may have a table for those
// objects.
//
// JSON does not define the meaning of a name that occurs twice in one object. encoding/json takes
// the last occurrence and ignores the case of letters. Two readers of the same text could thus see
// different values, and one could verify another signature than the other uses. A Table therefore
// rejects repeated names, and names that differ from its own only in case.
type Table struct {
	list  []string
	at    map[string]int
	inner []*Table // for each name, the table of the objects in its value, or nil
	caps  bool     // a name in the table contains a capital letter
}

// NewTable returns a table of the given field names. The values of these fields have no tables.
func NewTable(names ...string) *Table {
	t := &Table{at: make(map[string]int, len(names))}
	for _, name := range names {
		t.add(name, nil)
	}
	return t
}

// With adds a name to t and returns t. inner is the table of the objects in the field's value.
func (t *Table) With(name string, inner *Table) *Table {
	t.add(name, inner)
	return t
}

// And adds the names of other tables to t, and returns t. If two tables have the same name, it must
// have the same inner table in both.
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

// foldable reports whether r is an upper-case letter or a non-ASCII character. encoding/json, which
// ignores case, may treat such a character like a lowercase ASCII letter.
func foldable(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 0x80 }

// noNames is the table of an object for which the format defines no names.
var noNames = NewTable()

// A Seen is the set of those names of a table that an object has had so far.
type Seen [maxNames / 64]uint64

// Look looks up the name of a field, and adds it to seen. defined reports whether t has the name,
// and inner is the table of the objects in the field's value. Look returns an error if the object
// has had the name before, or if the name differs from one of t only in the case of letters.
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

// alike returns an error if the given name equals a name in t except for upper and lower case.
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

// stringEnd returns the offset in value after the string that begins at i.
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

// unquote decodes a string as Text does, but the result may alias quoted.
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
