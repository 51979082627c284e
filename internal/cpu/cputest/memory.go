package cputest

import (
	"reflect"
	"testing"
)

// Memory returns two variables in memory of their own. On Linux, the first begins right after a
// page that cannot be accessed, and the second ends right before such a page.
func Memory[T any](t testing.TB) (v [2]*T) {
	for i, p := range guarded(t, reflect.TypeFor[T]()) {
		v[i] = p.Interface().(*T)
	}
	return v
}

// Slices returns two slices of n elements, in memory as that of [Memory].
func Slices[T any](t testing.TB, n int) (v [2][]T) {
	for i, p := range guarded(t, reflect.ArrayOf(n, reflect.TypeFor[T]())) {
		v[i] = p.Elem().Slice(0, n).Interface().([]T)
	}
	return v
}

// Strings returns two copies of s, in memory as that of [Memory].
func Strings(t testing.TB, s string) (v [2]string) {
	for i, b := range Slices[byte](t, len(s)) {
		copy(b, s)
		v[i] = text(b)
	}
	return v
}

// Fields returns two values of T, a struct of pointers. Each of these points to memory of its own,
// as that of [Memory].
func Fields[T any](t testing.TB) (v [2]T) {
	for i := range reflect.TypeFor[T]().NumField() {
		for k, p := range guarded(t, reflect.TypeFor[T]().Field(i).Type.Elem()) {
			reflect.ValueOf(&v[k]).Elem().Field(i).Set(p)
		}
	}
	return v
}

// Copy returns a struct of pointers to copies of the variables to which the fields of v point.
func Copy[T any](v T) (c T) {
	for i := range reflect.TypeFor[T]().NumField() {
		from := reflect.ValueOf(v).Field(i)
		to := reflect.New(from.Type().Elem())
		to.Elem().Set(from.Elem())
		reflect.ValueOf(&c).Elem().Field(i).Set(to)
	}
	return c
}
