//go:build !linux || purego

package cputest

import (
	"reflect"
	"testing"
)

func guarded(_ testing.TB, typ reflect.Type) [2]reflect.Value {
	return [2]reflect.Value{reflect.New(typ), reflect.New(typ)}
}

func text(b []byte) string { return string(b) }
