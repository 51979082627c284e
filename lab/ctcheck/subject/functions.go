package main

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	dropin "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
)

// functions lists functions, and methods as method expressions, that runFunctions calls with secret
// arguments. They are those of internal packages, since the public packages use only a part of
// them, and those of the drop-ins that package operations lacks. A function literal is in the list
// if a function has arguments that are public, or that fit together.
var functions = slices.Concat(arithmetic, points, inLanes, hashes, inside, many, dropIns)

// Results are stored in these variables, so that the compiler does not remove their computation.
// Storing a secret is no leak.
var (
	sink     int
	words    [4]uint64
	bytes32  [32]byte
	number   scalar.Scalar
	affine   point.Affine
	jacobian point.Jacobian
)

// runFunctions calls each function of a list with secret arguments. If a function takes slices of
// bytes, it calls the function with slices of each length in messageLengths.
func runFunctions(list []any) {
	for i, f := range list {
		v := reflect.ValueOf(f)
		fmt.Println(cases.Name(f))
		lengths, bytes := messageLengths[:1], reflect.TypeFor[[]byte]()
		for j := range v.Type().NumIn() {
			if v.Type().In(j) == bytes {
				lengths = messageLengths[:]
			}
		}
		for k, n := range lengths {
			var args []reflect.Value
			for j := range v.Type().NumIn() {
				seed := uint64(10_000*i + 1_000*k + 100*j)
				args = append(args, argument(v.Type().In(j), seed, n))
			}
			cases.Call(func() { v.Call(args) })
		}
	}
}

// argument returns a value of type t that depends on seed and is marked as secret. A slice of bytes
// gets the given length, and other slices get four elements. Numbers of type int are public: 2.
func argument(t reflect.Type, seed uint64, length int) reflect.Value {
	if f := makers[t]; f != nil {
		return f(seed)
	}
	v := reflect.New(t).Elem()
	each := func(n int, at func(int) reflect.Value) {
		for i := range n {
			at(i).Set(argument(at(i).Type(), seed+uint64(i), length))
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(argument(t.Elem(), seed, length))
	case reflect.Struct:
		each(t.NumField(), v.Field)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes(cases.Secret(seed, length))
		} else {
			v.Set(reflect.MakeSlice(t, 4, 4))
			each(4, v.Index)
		}
	case reflect.Int:
		v.SetInt(2)
	case reflect.Array:
		if t.Elem().Kind() == reflect.Array || makers[t.Elem()] != nil {
			each(t.Len(), v.Index)
			break
		}
		fallthrough
	default: // a number, or an array of numbers
		b := unsafe.Slice((*byte)(v.Addr().UnsafePointer()), t.Size())
		copy(b, cases.Secret(seed, len(b)))
	}
	return v
}

// makers maps a type to a function that makes secret values of the type, if not all bits of such a
// value may have any value.
var makers = map[reflect.Type]func(seed uint64) reflect.Value{
	reflect.TypeFor[bool](): maker(func(seed uint64) bool { return secretBytes(seed)[0]&1 == 1 }),
	reflect.TypeFor[ct.Choice](): maker(func(seed uint64) ct.Choice {
		return ct.Choice(secretBytes(seed)[0] & 1)
	}),
	reflect.TypeFor[field.Element]():  maker(secretElement),
	reflect.TypeFor[scalar.Scalar]():  maker(secretScalar),
	reflect.TypeFor[point.Affine]():   maker(secretAffine),
	reflect.TypeFor[point.Jacobian](): maker(secretJacobian),
	reflect.TypeFor[*ecmult.Blinding](): maker(func(seed uint64) *ecmult.Blinding {
		b := secretScalar(seed)
		return ecmult.NewBlinding(&b)
	}),

	reflect.TypeFor[lanes.Element](): maker(secretLanes),
	reflect.TypeFor[lanes.Scalar]():  maker(secretLaneScalar),
	reflect.TypeFor[lanes.Mask](): maker(func(seed uint64) lanes.Mask {
		x := secretLanes(seed)
		return x.IsOdd()
	}),

	reflect.TypeFor[dropin.FieldVal]():      maker(secretFieldVal),
	reflect.TypeFor[dropin.ModNScalar]():    maker(secretModNScalar),
	reflect.TypeFor[dropin.JacobianPoint](): maker(secretDropinPoint),
	reflect.TypeFor[dropin.PublicKey](): maker(func(seed uint64) dropin.PublicKey {
		a := secretAffine(seed)
		return *dropin.FromAffine(&a)
	}),
	reflect.TypeFor[dropin.PrivateKey](): maker(func(seed uint64) dropin.PrivateKey {
		return *secretDropinKey(seed)
	}),
}

// maker returns f with another type. The value must be in memory, since Go converts a small number
// to an interface by means of a table.
func maker[T any](f func(seed uint64) T) func(seed uint64) reflect.Value {
	return func(seed uint64) reflect.Value {
		v := f(seed)
		return reflect.ValueOf(&v).Elem()
	}
}
