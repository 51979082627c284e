package secrettest

import (
	"bytes"
	"encoding/asn1"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"
)

type exported[T any] struct {
	Value T
	Ptr   *T
	Any   any
	List  []T
	Ptrs  map[string]*T
	Vals  map[string]T
	Keyed map[*T]string
}

type unexported[T any] struct {
	value T
	ptr   *T
	any   any
	list  []T
	ptrs  map[string]*T
	vals  map[string]T
	keyed map[*T]string
}

// Wrap returns the value v inside structs, slices and other values that printers and encoders
// traverse.
func Wrap[T any](v T) map[string]any {
	p := &v
	shown := exported[T]{
		v, p, v, []T{v}, map[string]*T{"k": p}, map[string]T{"k": v}, map[*T]string{p: "k"},
	}
	return map[string]any{
		"a value": v, "a pointer": p, "a pointer to a pointer": &p,
		"exported fields": shown, "a pointer to exported fields": &shown,
		"a slice": shown.List, "a slice of pointers": []*T{p},
		"an array": [1]T{v}, "a pointer to an array": &[1]T{v},
		"a map": shown.Vals, "a map of pointers": shown.Ptrs, "a map by pointers": shown.Keyed,
		"a map by any": map[any]any{p: v}, "a slice of any": []any{p, v, shown},
		"nested":          map[string]any{"a": []any{shown, [1]any{shown}}},
		"a reflect.Value": reflect.ValueOf(v), "a reflect.Value of a pointer": reflect.ValueOf(p),
		"a channel": make(chan T), "a function": func() T { return v },
		"an attribute": attribute[T]{v},
	}
}

// WrapHidden returns v inside values as Wrap does, but also in unexported fields, where the methods
// of v give no protection.
func WrapHidden[T any](v T) map[string]any {
	p := &v
	hidden := unexported[T]{
		v, p, v, []T{v}, map[string]*T{"k": p}, map[string]T{"k": v}, map[*T]string{p: "k"},
	}
	subjects := Wrap(v)
	subjects["unexported fields"] = hidden
	subjects["a pointer to unexported fields"] = &hidden
	subjects["pointers, nested"] = []any{&hidden, map[string]any{"a": &exported[T]{Value: v, Ptr: p}}}
	subjects["unexported fields, nested"] = map[string]any{"a": []any{&hidden, hidden}}
	for i := range reflect.TypeOf(hidden).NumField() {
		subjects[fmt.Sprintf("unexported field %d by reflection", i)] = reflect.ValueOf(hidden).Field(i)
	}
	subjects["the only field by reflection"] = reflect.ValueOf(v).Field(0)
	return subjects
}

// Flags are flags, widths and precisions of verbs of package fmt.
var Flags = []string{"", "+", "#", "-", " ", "0", "+#", "# ", "90", ".90", "-90.3"}

// sprintf and errorf hide from vet those calls that are wrong on purpose.
var sprintf, errorf = fmt.Sprintf, fmt.Errorf

// CheckPrinted prints v in every way, and stops at the first output that shows a secret.
func CheckPrinted(t *testing.T, detector *Detector, opaque bool, v any) {
	check := func(where, text string) {
		t.Helper()
		if form := detector.Find(text); form != "" {
			t.Fatalf("%s shows %q: %s", where, form, text)
		}
	}
	for verb := 'A'; verb <= 'z'; verb++ {
		if !opaque && wrongForAll(verb) {
			continue
		}
		for _, f := range Flags {
			format := "%" + f + string(verb)
			check(format, sprintf(format, v))
		}
	}
	check("Sprint", fmt.Sprint(v)+fmt.Sprintln(v))
	check("a width", sprintf("%*d|%.*d|%[1]*d", v, 1, v, 1))
	check("an extra operand", sprintf(strings.Clone("x"), v))
	check("an error", errorf("%w %v %s %d", errors.New("x"), v, v, v).Error())
	if opaque {
		check("an error that wraps it", errorf("%w", v).Error())
	}
	check("a log", logged(v))
	check("an encoding", encoded(v))
}

// wrongForAll reports whether verb is a mistake for every type that is not an error: %w is for
// errors, and %p for addresses. fmt then calls no method, and go vet reports the call.
func wrongForAll(verb rune) bool { return verb == 'p' || verb == 'w' }

// logged returns the output of loggers for v.
func logged(v any) string {
	var buf bytes.Buffer
	log.New(&buf, "", 0).Println(v)
	for _, h := range []slog.Handler{slog.NewTextHandler(&buf, nil), slog.NewJSONHandler(&buf, nil)} {
		l := slog.New(h)
		l.Info("x", "key", v)
		l.With("key", v).WithGroup("g").Info("x", slog.Group("h", slog.Any("key", v)))
		l.Info("x", v)
	}
	return buf.String()
}

// encoded returns the output and the errors of encoders and templates for v.
func encoded(v any) string {
	var buf bytes.Buffer
	note := func(b []byte, err error) {
		buf.Write(b)
		fmt.Fprintln(&buf, err)
	}
	note(json.Marshal(v))
	note(json.MarshalIndent(v, "", " "))
	note(nil, json.NewEncoder(&buf).Encode(v))
	note(xml.Marshal(v))
	note(nil, xml.NewEncoder(&buf).Encode(v))
	note(nil, gob.NewEncoder(&buf).Encode(v))
	if _, ok := v.(reflect.Value); ok { // the other encoders panic on a reflect.Value
		return buf.String()
	}
	note(asn1.Marshal(v))
	note(nil, binary.Write(&buf, binary.LittleEndian, v))
	note(nil, template.Must(template.New("").Parse("{{.}} {{printf `%#v` .}}")).Execute(&buf, v))
	return buf.String()
}

type field[T any] struct{ Value T }
type attribute[T any] struct {
	Value T `xml:"value,attr"`
}

// Encodings holds values with another value inside. An encoder of the standard library accepts them
// if it accepts the type of the value inside.
type Encodings struct{ json, xml, gob []any }

// EncodingsOf returns v inside other values.
func EncodingsOf[T any](v T) Encodings {
	p := &v
	all := []any{v, p, &p, field[T]{v}, field[*T]{p}, []T{v}, []*T{p}, [1]T{v}, field[[]T]{[]T{v}}}
	maps := []any{map[string]T{"k": v}, map[string]*T{"k": p}}
	return Encodings{
		json: append(append([]any{field[any]{v}, field[any]{p}}, maps...), all...),
		xml:  append([]any{attribute[T]{v}, attribute[*T]{p}, field[any]{v}}, all...),
		gob:  append(maps, all...),
	}
}

// Each encodes all values, and calls f with the result of each encoder.
func (e Encodings) Each(f func(encoder string, v any, b []byte, err error)) {
	for _, v := range e.json {
		b, err := json.Marshal(v)
		f("JSON", v, b, err)
	}
	for _, v := range e.xml {
		b, err := xml.Marshal(v)
		f("XML", v, b, err)
	}
	for _, v := range e.gob {
		var buf bytes.Buffer
		err := gob.NewEncoder(&buf).Encode(v)
		f("gob", v, buf.Bytes(), err)
	}
}

// CheckOpaque checks that no printer shows the secrets that v holds, in any wrapping, and that
// encoders return errors.
func CheckOpaque[T any](t *testing.T, v T, secrets ...[]byte) {
	t.Helper()
	detector := Detect(secrets...)
	for name, subject := range WrapHidden(v) {
		t.Run(name, func(t *testing.T) { CheckPrinted(t, detector, true, subject) })
	}
	EncodingsOf(v).Each(func(encoder string, v any, b []byte, err error) {
		if err == nil {
			t.Errorf("%s of a %T is %s", encoder, v, b)
		}
	})
}
