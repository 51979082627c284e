package reading

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// An Object is a JSON object at the beginning of a file.
type Object struct {
	Fields []Field
	Cut    bool // the object ends too early or is not JSON; Fields holds what comes before that
}

// A Field is a field of an Object. Text is the part of Outline's argument that begins with the
// field's value.
type Field struct {
	Name string
	Text []byte
}

// Text returns the text of the field with the given name, or nil if o has no such field.
func (o *Object) Text(name string) []byte {
	for _, f := range o.Fields {
		if f.Name == name {
			return f.Text
		}
	}
	return nil
}

// Has reports whether o has a field for each name.
func (o *Object) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return o.Text(name) == nil })
}

// Outline yields the objects from which a format is recognized. head is the beginning of a file.
// The objects are those at the top level, those in lists there, and the values of fields with a
// name in wrappers: objects, and objects in lists. An inner object comes before the outer one. A
// scalar in such a place, and a list whose first element is a string, come as an object with one
// field without a name. Where head is not JSON, Outline resumes at the next line that begins with
// a bracket or a quotation mark.
func Outline(head []byte, wrappers ...string) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		for line := head; len(line) > 0; {
			begin := bytes.TrimLeft(line, " \t\r\n")
			if len(begin) == 0 {
				return
			}
			offset := len(line) - len(begin)
			if bytes.IndexByte([]byte(`{["`), begin[0]) >= 0 {
				d := NewDecoder(begin)
				o := outline{d, begin, wrappers, yield}
				var err error
				for err == nil {
					err = o.value()
				}
				if err == errStop {
					return
				}
				offset += int(o.InputOffset())
			}
			_, line, _ = bytes.Cut(line[offset:], newline)
		}
	}
}

// An outline reads the JSON values of a text for Outline. Its methods return errStop if yield has
// returned false.
type outline struct {
	*jsontext.Decoder
	text     []byte
	wrappers []string
	yield    func(*Object) bool
}

var (
	errStop = errors.New("the loop over the objects has ended")
	errDeep = errors.New("nested too deep")
)

// rest returns the text that begins with the next value.
func (o *outline) rest() []byte { return bytes.TrimLeft(o.text[o.InputOffset():], " \t\r\n:,") }

// value reads the next value and yields the objects in it.
func (o *outline) value() error {
	alone := &Object{Fields: []Field{{"", o.rest()}}}
	kind := o.PeekKind()
	switch {
	case o.StackDepth() > maxDepth:
		return errDeep
	case kind == 0:
		return o.SkipValue() // which returns the error
	case kind != '{' && kind != '[':
		return cmp.Or(o.found(alone), o.SkipValue())
	}
	o.ReadToken()
	if kind == '[' && o.PeekKind() == '"' && o.found(alone) != nil {
		return errStop
	}
	object := new(Object)
	err := o.inner(kind, object)
	if kind == '{' && err != errStop {
		object.Cut = err != nil
		err = cmp.Or(o.found(object), err)
	}
	return err
}

// inner reads the rest of an object or list, yields the objects in it, and adds the fields of an
// object to the value object.
func (o *outline) inner(kind jsontext.Kind, object *Object) error {
	for next := o.PeekKind(); next != '}' && next != ']'; next = o.PeekKind() {
		enter := next == '{' || next == '['
		if kind == '{' {
			name, err := o.ReadToken()
			if err != nil {
				return err
			}
			object.Fields = append(object.Fields, Field{name.String(), o.rest()})
			enter = slices.Contains(o.wrappers, name.String())
		}
		read := o.SkipValue
		if enter {
			read = o.value
		}
		if err := read(); err != nil {
			return err
		}
	}
	_, err := o.ReadToken()
	return err
}

// found yields an object.
func (o *outline) found(object *Object) error {
	if !o.yield(object) {
		return errStop
	}
	return nil
}
