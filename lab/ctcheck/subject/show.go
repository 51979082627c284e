package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
)

// show prints v with every verb of package fmt, and encodes it with every method for encoding that
// it has, both by value and by pointer. It drops the output and ignores errors.
func show(v any) {
	all := []any{v}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		all = append(all, r.Elem().Interface())
	} else {
		p := reflect.New(r.Type())
		p.Elem().Set(r)
		all = append(all, p.Interface())
	}
	for _, v := range all {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
			sink += len(fmt.Sprintf(verb, v))
		}
		if v, ok := v.(fmt.Stringer); ok {
			sink += len(v.String())
		}
		if v, ok := v.(fmt.GoStringer); ok {
			sink += len(v.GoString())
		}
		if v, ok := v.(slog.LogValuer); ok {
			sink += len(v.LogValue().String())
		}
		if v, ok := v.(json.Marshaler); ok {
			v.MarshalJSON()
		}
		if v, ok := v.(encoding.TextMarshaler); ok {
			v.MarshalText()
		}
		if v, ok := v.(encoding.BinaryMarshaler); ok {
			v.MarshalBinary()
		}
		if v, ok := v.(interface{ GobEncode() ([]byte, error) }); ok {
			v.GobEncode()
		}
		if v, ok := v.(encoding.TextAppender); ok {
			v.AppendText(nil)
		}
		if v, ok := v.(encoding.BinaryAppender); ok {
			v.AppendBinary(nil)
		}
	}
}
