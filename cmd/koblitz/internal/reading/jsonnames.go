package reading

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Table lists the names of the fields that a reader uses in one kind of object. If the value of a
// field is an object or a list of objects, the field's name may have a table for those objects.
// Fields with other names are ignored.
//
// JSON does not define the meaning of a name that occurs twice in one object. encoding/json takes
// the last occurrence and ignores the case of letters. Two readers of the same text could thus see
// different values, and one could verify another signature than the other uses. A Table therefore
// rejects repeated names, and names that differ from its own only in case.
type Table struct {
	names map[string]tableName
	caps  bool // a name in the table contains a capital letter
}

type tableName struct {
	bit   Seen   // one bit, which no other name of the table has
	inner *Table // the table of the objects in the field's value, or nil
	field int    // the index of the field in the struct, in a table of TableOf
}

// NewTable returns a table of the given field names. The values of these fields have no tables.
func NewTable(names ...string) *Table {
	t := &Table{names: make(map[string]tableName, len(names))}
	for _, name := range names {
		t.With(name, nil)
	}
	return t
}

// TableOf returns the table of the fields into which json.Unmarshal decodes an object: the names in
// the tags of the struct T, with tables for the structs in T.
func TableOf[T any]() *Table { return tableOf(reflect.TypeFor[T]()) }

func tableOf(t reflect.Type) *Table {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	table := NewTable()
	for i := range t.NumField() {
		field := t.Field(i)
		if name := field.Tag.Get("json"); name != "" {
			table.add(name, tableName{inner: tableOf(field.Type), field: i})
		}
	}
	return table
}

// With adds a name, which t lacks, to t and returns t. A table has at most 64 names. inner is the
// table of the objects in the field's value.
func (t *Table) With(name string, inner *Table) *Table {
	t.add(name, tableName{inner: inner})
	return t
}

func (t *Table) add(name string, n tableName) {
	if n.bit = Seen(1) << len(t.names); n.bit == 0 {
		panic("reading: too many names in a table")
	}
	t.names[name] = n
	t.caps = t.caps || bytes.ContainsFunc([]byte(name), foldable)
}

// And adds the names of another table, which t lacks, to t, and returns t.
func (t *Table) And(other *Table) *Table {
	for name, n := range other.names {
		t.With(name, n.inner)
	}
	return t
}

// foldable reports whether r is an upper-case letter or a non-ASCII character. encoding/json, which
// ignores case, may treat such a character like a lowercase ASCII letter.
func foldable(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 0x80 }

// A Seen is the set of those names of a table that an object has had so far.
type Seen uint64

// Look looks up the name of a field, and adds it to seen. defined reports whether t has the name,
// and inner is the table of the objects in the field's value. Look returns an error if the object
// has had the name before, or if the name differs from one of t only in the case of letters.
func (t *Table) Look(seen *Seen, name []byte) (inner *Table, defined bool, err error) {
	n, ok := t.names[string(name)]
	switch {
	case !ok:
		return nil, false, t.alike(name)
	case *seen&n.bit != 0:
		return nil, true, fmt.Errorf("%q comes a second time", name)
	}
	*seen |= n.bit
	return n.inner, true, nil
}

// alike returns an error if the given name equals a name in t except for upper and lower case.
func (t *Table) alike(name []byte) error {
	if !t.caps && !bytes.ContainsFunc(name, foldable) {
		return nil
	}
	for known := range t.names {
		if bytes.EqualFold(name, []byte(known)) {
			return fmt.Errorf("the name %s may be taken for %q", Quote(name), known)
		}
	}
	return nil
}

// Decode decodes text into the struct that v points to, as json.Unmarshal does, unless CheckNames
// returns an error. t must be TableOf the struct. Decode reads an object once; CheckNames and
// json.Unmarshal read it three times.
func (t *Table) Decode(text []byte, v any) error {
	d := NewDecoder(text)
	if d.PeekKind() != '{' {
		return json.Unmarshal(text, v)
	}
	d.ReadToken()
	object := reflect.ValueOf(v).Elem()
	var seen Seen
	var wrong error
	for d.PeekKind() == '"' {
		quoted, err := d.ReadValue()
		if err != nil {
			return err
		}
		name := string(unquote(quoted))
		inner, defined, err := t.Look(&seen, []byte(name))
		if err != nil {
			return err
		}
		value, err := d.ReadValue()
		if err == nil && inner != nil {
			err = inner.CheckNames(value)
		}
		if err != nil {
			return err
		}
		if defined && wrong == nil {
			wrong = decodeField(object.Field(t.names[name].field), name, value)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	return wrong
}

// decodeField decodes text into a field of a struct.
func decodeField(field reflect.Value, name string, text []byte) error {
	to := field.Addr().Interface()
	if u, ok := to.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(text)
	}
	err := json.Unmarshal(text, to)
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		mismatch.Field = strings.TrimSuffix(name+"."+mismatch.Field, ".")
	}
	return err
}

// CheckNames returns the first error of Look for the names of value and of the values in it that
// have a table. value is an object, a list of objects, or a value of another kind (see Value.Text).
func (t *Table) CheckNames(value []byte) error {
	return t.check(NewDecoder(value))
}

// check is CheckNames for the next value of d, and passes over it.
func (t *Table) check(d *jsontext.Decoder) error {
	kind := d.PeekKind()
	if t == nil || kind != '{' && kind != '[' {
		return d.SkipValue()
	}
	d.ReadToken()
	var seen Seen
	for next := d.PeekKind(); next != '}' && next != ']'; next = d.PeekKind() {
		inner := t
		switch {
		case kind == '{':
			name, err := d.ReadValue()
			if err == nil {
				inner, _, err = t.Look(&seen, unquote(name))
			}
			if err != nil {
				return err
			}
		case next != '{':
			inner = nil
		}
		if err := inner.check(d); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// unquote decodes a quoted JSON string like encoding/json: it replaces each byte that is not valid
// UTF-8 by U+FFFD. The result may alias quoted.
func unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // the error is for bytes that are not UTF-8
	return text
}
