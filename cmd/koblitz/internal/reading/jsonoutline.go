package reading

import (
	"bytes"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// An Object is a JSON object at the beginning of a file.
type Object struct {
	Fields []Field
	Cut    bool // the object ends too early or is not JSON; Fields holds what comes before that
}

// A Field is a field of an Object. Its text begins with the field's value and goes on after it.
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
				o := outline{newDecoder(begin), begin, wrappers, yield}
				for o.value() {
				}
				if o.yield == nil {
					return
				}
				offset += int(o.InputOffset())
			}
			_, line, _ = bytes.Cut(line[offset:], []byte{'\n'})
		}
	}
}

// An outline reads the JSON values of a text for Outline.
type outline struct {
	*jsontext.Decoder
	text     []byte
	wrappers []string
	yield    func(*Object) bool // nil after it has returned false
}

// rest returns the text that begins with the next value.
func (o *outline) rest() []byte { return bytes.TrimLeft(o.text[o.InputOffset():], " \t\r\n:,") }

// value reads the next value and yields the objects in it. It returns false at the end of the text,
// at an error, and if the loop over the objects has ended.
func (o *outline) value() bool {
	text := o.rest()
	switch kind := o.PeekKind(); {
	case o.StackDepth() > maxDepth:
		return false
	case kind == '{':
		return o.object()
	case kind == '[':
		o.ReadToken()
		if o.PeekKind() == '"' && !o.found(&Object{Fields: []Field{{"", text}}}) {
			return false
		}
		for o.PeekKind() != ']' {
			if kind := o.PeekKind(); kind != '{' && kind != '[' {
				if o.SkipValue() != nil {
					return false
				}
			} else if !o.value() {
				return false
			}
		}
		_, err := o.ReadToken()
		return err == nil
	default:
		return kind != 0 && o.found(&Object{Fields: []Field{{"", text}}}) && o.SkipValue() == nil
	}
}

// object reads an object and yields it, after the objects in it.
func (o *outline) object() bool {
	object := new(Object)
	object.Cut = !o.fields(object)
	return o.yield != nil && o.found(object) && !object.Cut
}

// fields reads the fields of an object. It returns false where value does.
func (o *outline) fields(object *Object) bool {
	o.ReadToken()
	for o.PeekKind() == '"' {
		name, err := o.ReadToken()
		if err != nil {
			return false
		}
		field := Field{name.String(), o.rest()}
		object.Fields = append(object.Fields, field)
		if slices.Contains(o.wrappers, field.Name) {
			if !o.value() {
				return false
			}
		} else if o.SkipValue() != nil {
			return false
		}
	}
	_, err := o.ReadToken()
	return err == nil
}

// found yields an object.
func (o *outline) found(object *Object) bool {
	if !o.yield(object) {
		o.yield = nil
	}
	return o.yield != nil
}
