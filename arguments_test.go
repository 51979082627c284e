package koblitz_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/lab/operations"
	"github.com/koblitz-go/koblitz/musig2"
)

// A call is a function or method with arguments. A method's receiver is the first of them.
type call struct {
	name   string // such as "ecdsa.Sign" and "koblitz.PublicKey.TweakAdd"
	method bool
	f      reflect.Value
	args   []reflect.Value // a function without parameters makes the argument for each run
	shape  string          // the lengths of slices of bytes, and which values other arguments are
}

// everyFunction returns calls without arguments of all exported functions and methods.
func everyFunction() (all []call) {
	for _, f := range operations.Functions {
		all = append(all, call{name: operations.FunctionName(f), f: reflect.ValueOf(f)})
	}
	for _, elem := range operations.Types {
		typ := reflect.PointerTo(elem.Type)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			all = append(all, call{name: elem.String() + "." + m.Name, method: true, f: m.Func})
		}
	}
	return all
}

// validCalls returns valid calls, one of each shape, of the functions that takes selects.
func (v *values) validCalls(t *testing.T, takes func(c call) bool) (calls []call) {
	t.Helper()
	for _, c := range everyFunction() {
		if !takes(c) {
			continue
		}
		n := len(calls)
		if v.complete(c, make(map[string]bool), &calls); n == len(calls) {
			t.Errorf("%s: no arguments are valid: add some to newValues", c.name)
		}
	}
	return calls
}

// complete appends valid calls of c to calls, with all combinations of values for the parameters
// that c has no arguments for yet. It omits calls whose shape is in seen, and adds to seen the
// shapes of the appended calls and of their first arguments.
func (v *values) complete(c call, seen map[string]bool, calls *[]call) {
	i, n := len(c.args), len(*calls)
	if i == c.f.Type().NumIn() {
		if !seen[c.shape] && c.isValid() {
			*calls = append(*calls, c)
		}
	} else {
		for k, arg := range v.arguments(c, i) {
			next := c
			next.args = append(slices.Clip(c.args), arg)
			next.shape += fmt.Sprint(" value ", k)
			if b, ok := arg.Interface().([]byte); ok && k < len(v.byType[arg.Type()]) {
				next.shape = c.shape + fmt.Sprint(" length ", len(b))
			}
			if k >= len(messageSizes) && seen[c.shape+fmt.Sprint(" length ", longest)] {
				break // all other values would only be more messages
			}
			v.complete(next, seen, calls)
		}
	}
	if len(*calls) > n {
		seen[c.shape] = true
	}
}

// arguments returns values for parameter i of c.
func (v *values) arguments(c call, i int) []reflect.Value {
	typ := c.f.Type().In(i)
	list := v.byType[typ]
	switch {
	case i == c.output():
		return []reflect.Value{reflect.Zero(typ)}
	case len(list) == 0 && c.method && i == 0:
		return []reflect.Value{reflect.New(typ.Elem())}
	case len(list) == 0:
		return []reflect.Value{reflect.Zero(typ)}
	case typ == reflect.TypeFor[[]byte]():
		others := func(other reflect.Type) bool { return other != typ }
		if len(slices.DeleteFunc(c.inputs(), others)) == 1 {
			return slices.Concat(list, v.encodings)
		}
	}
	return list
}

// output returns the index of the slice to which the function appends, or -1.
func (c call) output() int {
	if !strings.HasPrefix(c.name[strings.LastIndexByte(c.name, '.')+1:], "Append") {
		return -1
	}
	return strings.Count(c.name, ".") - 1
}

// keepBytes matches the names of functions whose results hold a caller's bytes, and of methods of
// such values, which have tests in package batch.
var keepBytes = regexp.MustCompile(`^(batch\.(Packed|Same|Strided|\w+Rows\.\w+)|musig2\.NewInput)$`)

// inputs returns the types of parameters with bytes that the function uses and does not keep.
func (c call) inputs() (types []reflect.Type) {
	for i := range c.f.Type().NumIn() {
		typ, receiver := c.f.Type().In(i), c.method && i == 0
		if holdsBytes(typ) && i != c.output() && !receiver && !keepBytes.MatchString(c.name) {
			types = append(types, typ)
		}
	}
	return types
}

// run calls the function with arguments in which replace has replaced every slice of bytes. It
// returns the results, followed by the arguments with nil in place of these slices. If the function
// panics, run returns only the value of the panic.
func (c call) run(replace func(b []byte) []byte) (results []any) {
	in := slices.Clone(c.args)
	for i, v := range in {
		if v.Type() != c.f.Type().In(i) && v.Kind() == reflect.Func {
			v = v.Call(nil)[0]
		} else if c.method && i == 0 { // a copy of the receiver
			v = reflect.New(v.Type().Elem())
			v.Elem().Set(in[0].Elem())
		}
		if in[i] = v; i != c.output() {
			in[i] = rewrite(v, replace)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			results = []any{r}
		}
	}()
	call := c.f.Call
	if c.f.Type().IsVariadic() {
		call = c.f.CallSlice
	}
	for _, v := range call(in) {
		results = append(results, v.Interface())
	}
	for _, v := range in {
		v = rewrite(v, func([]byte) []byte { return nil })
		results = append(results, v.Interface())
	}
	return results
}

// places returns the slices of bytes in the arguments.
func (c call) places() (all [][]byte) {
	c.run(func(b []byte) []byte {
		all = append(all, b)
		return b
	})
	return all
}

// runWith returns the results of run with the bytes b in place i.
func (c call) runWith(i int, b []byte) []any {
	return c.run(func(old []byte) []byte {
		if i--; i == -1 {
			return b
		}
		return old
	})
}

// isValid reports whether no result is an error, false, zero or empty.
func (c call) isValid() bool {
	results := c.runWith(-1, nil)
	for i, result := range results {
		v := reflect.ValueOf(result)
		switch result := result.(type) {
		case error:
			return false
		case batch.Verdict:
			if result != batch.Valid {
				return false
			}
		case accumulator:
			all, err := result.VerifyAll(context.Background())
			return all && err == nil
		case nil, batch.Reason:
		default:
			if i < c.f.Type().NumOut() && (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) {
				return false
			}
		}
	}
	return len(results) > 1
}

type accumulator interface {
	VerifyAll(context.Context) (bool, error)
}

// rewrite returns a copy of v in which replace has replaced the slices of bytes and of arrays
// of bytes.
func rewrite(v reflect.Value, replace func(b []byte) []byte) reflect.Value {
	typ := v.Type()
	if !holdsBytes(typ) || v.IsZero() || typ.Kind() == reflect.Slice && v.Len() == 0 {
		return v
	}
	copied := reflect.New(typ).Elem()
	copied.Set(v)
	switch {
	case typ == inputType:
		copied.Set(reflect.ValueOf(musig2.NewInput(replace(inputBytes))))
	case isBytes(typ):
		size := int(typ.Elem().Size())
		b := replace(unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*size))
		data := unsafe.Pointer(unsafe.SliceData(b))
		copied.Set(reflect.SliceAt(typ.Elem(), data, len(b)/size))
	case typ.Kind() == reflect.Pointer:
		copied.Set(reflect.New(typ.Elem()))
		copied.Elem().Set(rewrite(v.Elem(), replace))
	case typ.Kind() == reflect.Struct:
		for i := range typ.NumField() {
			if isRead(typ.Field(i)) {
				copied.Field(i).Set(rewrite(v.Field(i), replace))
			}
		}
	default:
		if typ.Kind() == reflect.Slice {
			copied.Set(reflect.MakeSlice(typ, v.Len(), v.Len()))
		}
		for i := range v.Len() {
			copied.Index(i).Set(rewrite(v.Index(i), replace))
		}
	}
	return copied
}

// A musig2.Input holds bytes that package reflect does not see. Those of all calls are inputBytes.
var (
	inputType  = reflect.TypeFor[musig2.Input]()
	inputBytes = bytes.Repeat([]byte{5}, 32)
)

// holdsBytes reports whether values of a type hold slices of bytes that functions read.
func holdsBytes(typ reflect.Type) bool {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return isBytes(typ) || holdsBytes(typ.Elem())
	case reflect.Struct:
		for i := range typ.NumField() {
			if isRead(typ.Field(i)) {
				return true
			}
		}
	}
	return typ == inputType
}

// isRead reports whether a field of a struct holds bytes that functions read. The field Results
// holds bytes that a device writes.
func isRead(f reflect.StructField) bool {
	return f.IsExported() && f.Name != "Results" && holdsBytes(f.Type)
}

// isBytes reports whether a type is a slice of bytes or of arrays of bytes.
func isBytes(typ reflect.Type) bool {
	if typ.Kind() != reflect.Slice {
		return false
	}
	typ = typ.Elem()
	if typ.Kind() == reflect.Array {
		typ = typ.Elem()
	}
	return typ == reflect.TypeFor[byte]()
}
