package koblitz_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// zeroEqual lists the methods that compare a zero value, which is a number or a point, with another
// or with nil.
var zeroEqual = []string{"group.Point.Equal", "group.Scalar.Equal"}

// zeroFine lists functions and methods that return no error for zero values, each with the reason.
var zeroFine = map[string]string{
	"batch.Schnorr.Verify":           "there are no rows",
	"batch.Queue.ExplainSchnorr":     "the answer is Malformed",
	"batch.Queue.VerifySchnorrBytes": "the answer is false",
	"batch.Queue.VerifySchnorr":      "the answer is false",
	"group.Point.MarshalBinary":      "the identity has an encoding",
	"group.Point.MarshalText":        "the identity has an encoding",
	"group.Point.MultiScalarMult":    "the sum of nothing is the identity",
	"msm.Accumulator.AddVartime":     "nothing is added",
	"msm.Accumulator.SumVartime":     "the sum of nothing is the identity",
	"msm.Bases.SumVartime":           "the sum of nothing is the identity",
	"msm.Prepare":                    "no points take no memory",
	"msm.SumVartime":                 "the sum of nothing is the identity",
	"msm.PackedSumVartime":           "the sum of nothing is the identity",
}

// noNil lists types whose methods panic on a nil receiver or operand, as math/big's do, each with
// such a call. A panic is harmless in these calls: points and scalars are variables that methods
// set and return for further use, and no function that parses or receives a point or scalar returns
// a nil pointer without an error. The documentation of package group says that nil panics.
var noNil = map[string]func(){
	"group.Point":  func() { new(group.Point).Double(nil) },
	"group.Scalar": func() { new(group.Scalar).Negate(nil) },
}

// TestNoNil checks that the calls in noNil panic.
func TestNoNil(t *testing.T) {
	for name, f := range noNil {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is an exception for nothing", name)
				}
			}()
			f()
		}()
	}
}

// TestZeroValues calls every exported function, and every method of every exported type, with zero
// values and nil. No call may panic or verify a signature, and a call that can return an error must
// return one; the lists above have the exceptions. Methods of zero keys return zero values. Tests
// of the packages check that zero values do not help to forge signatures.
func TestZeroValues(t *testing.T) {
	calls, met := 0, make(map[string]bool)
	for _, c := range everyFunction() {
		for _, pointers := range []bool{false, true} {
			if !c.method {
				callZero(t, met, c.name, c.f, nil, pointers)
				calls++
				continue
			}
			typ := c.f.Type().In(0)
			elem, method := typ.Elem(), c.name[strings.LastIndexByte(c.name, '.')+1:]
			if pointers || noNil[elem.String()] == nil || !operands(c.f.Type()) || method == "Equal" {
				callZero(t, met, c.name, c.f, []reflect.Value{reflect.New(elem)}, pointers)
				calls++
			}
			// Calling a method with a value receiver on a nil pointer always panics.
			if _, onValue := elem.MethodByName(method); !onValue && noNil[elem.String()] == nil {
				callZero(t, met, c.name, c.f, []reflect.Value{reflect.Zero(typ)}, pointers)
				calls++
			}
		}
	}
	for name := range zeroFine {
		if !met[name] {
			t.Errorf("%s is an exception for nothing", name)
		}
	}
	t.Logf("%d types, %d functions, %d calls", len(operations.Types), len(operations.Functions), calls)
}

// operands reports whether a method takes pointers to scalars or points of package group.
func operands(m reflect.Type) bool {
	for i := 1; i < m.NumIn(); i++ {
		in := m.In(i)
		if in == reflect.TypeFor[*group.Point]() || in == reflect.TypeFor[*group.Scalar]() {
			return true
		}
	}
	return false
}

// callZero calls f with the given arguments, and zero values for the other parameters: nil
// pointers, or pointers to zero values. It records the exceptions that it uses.
func callZero(
	t *testing.T, met map[string]bool, name string, f reflect.Value, args []reflect.Value,
	pointers bool,
) {
	t.Helper()
	typ := f.Type()
	in := slices.Clone(args)
	for i := len(in); i < typ.NumIn(); i++ {
		arg := typ.In(i)
		switch {
		case i == typ.NumIn()-1 && typ.IsVariadic():
			if pointers { // pass a zero value of the options
				in = append(in, reflect.Zero(arg.Elem()))
			}
		case pointers && arg.Kind() == reflect.Pointer:
			in = append(in, reflect.New(arg.Elem()))
		case arg.Kind() == reflect.Interface && arg.Name() == "State":
			return // fmt calls this method; redact_test.go tests it
		default:
			in = append(in, reflect.Zero(arg))
		}
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s (receiver %s, pointers set: %v) panics: %v", name, receiver(args), pointers, r)
		}
	}()
	for _, out := range f.Call(in) {
		switch v := out.Interface().(type) {
		case bool:
			zero := strings.HasSuffix(name, ".IsZero") || strings.HasSuffix(name, ".IsIdentity")
			if v != zero && !slices.Contains(zeroEqual, name) {
				t.Errorf("%s (receiver %s, pointers set: %v) is %v", name, receiver(args), pointers, v)
			}
		case nil:
			if out.Type() != reflect.TypeFor[error]() {
				continue
			}
			if zeroFine[name] != "" {
				met[name] = true
			} else {
				t.Errorf("%s (receiver %s, pointers set: %v) has no error", name, receiver(args), pointers)
			}
		default: // A zero key has no encoding, size or order, and no other key is made from it.
			key := len(args) > 0 && strings.HasPrefix(name, "koblitz.") &&
				slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Int}, out.Kind())
			if key && !out.IsZero() {
				t.Errorf("%s (receiver %s, pointers set: %v) is %v", name, receiver(args), pointers, v)
			}
		}
	}
}

func receiver(args []reflect.Value) string {
	if len(args) == 0 {
		return "none"
	}
	if args[0].IsNil() {
		return "nil"
	}
	return "zero"
}
