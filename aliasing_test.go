package koblitz_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/group"
)

// TestAppendToArgument checks that functions that append to a slice give the same results if its
// memory begins with an argument. The functions of package batch exclude this.
func TestAppendToArgument(t *testing.T) {
	for _, c := range newValues().validCalls(t, func(c call) bool {
		return c.output() >= 0 && len(c.inputs()) > 0 && !strings.HasPrefix(c.name, "batch.Append")
	}) {
		for i, arg := range c.places() {
			want := c.runWith(i, arg)[0]
			b := append(make([]byte, 0, len(arg)+100), arg...)
			c.args[c.output()] = reflect.ValueOf(b[:0])
			if got := c.runWith(i, b)[0]; !c.isRandom() && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: argument %d: %x, want %x", c.name, i, got, want)
			}
		}
	}
}

// TestReceiverIsArgument checks that methods of scalars and points give the same results if the
// receiver is also an argument, or two of them.
func TestReceiverIsArgument(t *testing.T) {
	scalar, point := reflect.TypeFor[*group.Scalar](), reflect.TypeFor[*group.Point]()
	takesOwn := func(c call) bool {
		typ := c.f.Type()
		return c.method && (typ.In(0) == scalar || typ.In(0) == point) &&
			typ.NumIn() > 1 && typ.In(typ.NumIn()-1) == typ.In(0)
	}
	v := newValues()
	add[*group.Scalar](v, new(group.Scalar))
	add[*group.Point](v, new(group.Point))
	for _, c := range v.validCalls(t, takesOwn) {
		results := c.run(nil)
		want := results[len(results)-len(c.args)]
		for _, arg := range c.args[1:] {
			if arg.Type() != c.args[0].Type() {
				continue
			}
			p, in := reflect.New(arg.Type().Elem()), slices.Clone(c.args)
			p.Elem().Set(arg.Elem())
			in[0] = p
			for k, other := range c.args[1:] {
				if other == arg {
					in[k+1] = p
				}
			}
			if c.f.Call(in); !reflect.DeepEqual(p.Interface(), want) {
				t.Errorf("%s: %v, want %v", c.name, p, want)
			}
		}
	}
}
