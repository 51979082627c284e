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

// maxNames is the maximum number of names in a Table, the bits of a Seen.
const maxNames = 64

// A Table lists the names of the fields that a reader uses in one kind of object. If the value of a
// field is an object or a list of objects, the field's name may have a table for those objects.
// Fields with other names are ignored.
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
			table.With(name, tableOf(field.Type))
		}
	}
	return table
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
			panic("reading: two tables for " + name)
		}
		return
	}
	if len(t.list) == maxNames {
		panic("reading: too many names in a table")
	}
	t.at[name] = len(t.list)
	t.list, t.inner = append(t.list, name), append(t.inner, inner)
	t.caps = t.caps || bytes.ContainsFunc([]byte(name), foldable)
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
	i, err := t.look(seen, name)
	if i < 0 {
		return nil, false, err
	}
	return t.inner[i], true, err
}

// look is Look, and returns the index of the name in t.list, or -1 if t does not have the name.
func (t *Table) look(seen *Seen, name []byte) (int, error) {
	i, ok := t.at[string(name)]
	if !ok {
		return -1, t.alike(name)
	}
	bit := Seen(1) << i
	if *seen&bit != 0 {
		return i, fmt.Errorf("%q comes a second time", name)
	}
	*seen |= bit
	return i, nil
}

// alike returns an error if the given name equals a name in t except for upper and lower case.
func (t *Table) alike(name []byte) error {
	if !t.caps && !bytes.ContainsFunc(name, foldable) {
		return nil
	}
	for _, known := range t.list {
		if bytes.EqualFold(name, []byte(known)) {
			return fmt.Errorf("the name %s may be taken for %q", Quote(name), known)
		}
	}
	return nil
}

// CheckNames returns the first error of Look for the names of value and of the values in it that
// have a table. value is an object, a list of objects, or a value of another kind (see Value.Text).
func (t *Table) CheckNames(value []byte) error { return t.check(newDecoder(value)) }

// check is CheckNames for the next value of d, and passes over it.
func (t *Table) check(d *jsontext.Decoder) error {
	switch kind := d.PeekKind(); {
	case t == nil || kind != '{' && kind != '[':
		return d.SkipValue()
	case kind == '{':
		var seen Seen
		return fields(d, func(name []byte) error {
			inner, _, err := t.Look(&seen, name)
			if err != nil {
				return err
			}
			return inner.check(d)
		})
	}
	d.ReadToken()
	for d.PeekKind() != ']' {
		var err error
		if d.PeekKind() == '{' {
			err = t.check(d)
		} else {
			err = d.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// Decode decodes the object text into the struct that v points to, as json.Unmarshal does. t must
// be the table of its type, of which every field has a name. Decode returns the error of CheckNames
// if there is one. It reads the object once; json.Unmarshal after CheckNames reads it three times.
func (t *Table) Decode(text []byte, v any) error {
	if len(text) == 0 || text[0] != '{' {
		return json.Unmarshal(text, v)
	}
	type member struct {
		name  int
		value []byte
	}
	var seen Seen
	members := make([]member, 0, maxNames)
	d := newDecoder(text)
	if err := fields(d, func(name []byte) error {
		i, err := t.look(&seen, name)
		if err != nil {
			return err
		}
		if i < 0 {
			return d.SkipValue()
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		end := d.InputOffset()
		members = append(members, member{i, text[end-int64(len(value)) : end]})
		if inner := t.inner[i]; inner != nil {
			return inner.CheckNames(value)
		}
		return nil
	}); err != nil {
		return err
	}
	object := reflect.ValueOf(v).Elem()
	for _, m := range members {
		if err := decodeField(object.Field(m.name), m.value); err != nil {
			var mismatch *json.UnmarshalTypeError
			if errors.As(err, &mismatch) {
				mismatch.Field = strings.TrimSuffix(t.list[m.name]+"."+mismatch.Field, ".")
			}
			return err
		}
	}
	return nil
}

// decodeField decodes text into a field of a struct.
func decodeField(field reflect.Value, text []byte) error {
	if field.Kind() == reflect.Pointer && text[0] != 'n' { // null stays nil
		pointer := reflect.New(field.Type().Elem())
		if u, ok := pointer.Interface().(json.Unmarshaler); ok {
			field.Set(pointer)
			return u.UnmarshalJSON(text)
		}
	}
	return json.Unmarshal(text, field.Addr().Interface())
}

// newDecoder returns a decoder of text, which may be no JSON that other programs read alike.
func newDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
}

// fields calls visit with the name of each field of the object that is the next value of d. visit
// reads the field's value, or passes over it. fields stops at the first error.
func fields(d *jsontext.Decoder, visit func(name []byte) error) error {
	d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err == nil {
			err = visit(unquote(name))
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// unquote decodes a string as unquoted does, but the result may alias quoted.
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
