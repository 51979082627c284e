// Package library loads the shared libraries of drivers without cgo. It never unloads a library,
// because drivers run threads of their own.
package library

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// ErrPlatform is wrapped by errors of Open which say that no library can be loaded on this
// platform, or that the driver has no library for this platform.
var ErrPlatform = errors.New("no library of the driver on this platform")

// A Library is a loaded shared library.
type Library uintptr

// Open loads the first of the named libraries that exists. If none can be loaded, the error says on
// one line why, for each of them.
func Open(names ...string) (Library, error) {
	if len(names) == 0 {
		return 0, fmt.Errorf("%w: %s/%s", ErrPlatform, runtime.GOOS, runtime.GOARCH)
	}
	var all error
	for _, name := range names {
		lib, err := open(name)
		if err == nil {
			return Library(lib), nil
		}
		if !strings.Contains(err.Error(), name) { // some systems' loaders leave the name out
			err = fmt.Errorf("%s: %w", name, err)
		}
		if all != nil {
			err = fmt.Errorf("%w; %w", all, err)
		}
		all = err
	}
	return 0, all
}

// Symbol returns the address of the named function. The address is never 0.
func (l Library) Symbol(name string) (uintptr, error) {
	at, err := symbol(uintptr(l), name)
	if err == nil && at == 0 {
		err = fmt.Errorf("%s has no address", name)
	}
	return at, err
}

// Bind sets each field of the struct to which api points. A field is a func variable, and calling
// it then calls the function of the library whose name is prefix, the name of the field, and the
// field's tag "suffix". If the library lacks a function, the field stays nil if it has the tag
// "optional"; otherwise Bind returns an error.
func (l Library) Bind(api any, prefix string) error {
	v := reflect.ValueOf(api).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name := prefix + field.Name + field.Tag.Get("suffix")
		at, err := l.Symbol(name)
		if err == nil {
			register(v.Field(i).Addr().Interface(), at)
		} else if field.Tag.Get("optional") == "" {
			return fmt.Errorf("has no %s", name)
		}
	}
	return nil
}
