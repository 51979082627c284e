// Package library loads the libraries of drivers, without cgo. None is ever closed: a driver has
// threads of its own.
package library

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// ErrPlatform is in the tree of what Open returns where no library can be loaded: on this platform
// there is no way to them, or the driver has none.
var ErrPlatform = errors.New("no library of the driver on this platform")

// A Library is a library that is loaded.
type Library uintptr

// Open loads the first library that there is, of several names. The error says of each why there
// is none, on one line.
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
		if !strings.Contains(err.Error(), name) { // not every system's loader says it
			err = fmt.Errorf("%s: %w", name, err)
		}
		if all != nil {
			err = fmt.Errorf("%w; %w", all, err)
		}
		all = err
	}
	return 0, all
}

// Symbol returns the address of a function, which is not 0.
func (l Library) Symbol(name string) (uintptr, error) {
	at, err := symbol(uintptr(l), name)
	if err == nil && at == 0 {
		err = fmt.Errorf("%s has no address", name)
	}
	return at, err
}

// Register makes the variable that f points to, which is a func, the function at an address.
func Register(f any, at uintptr) { register(f, at) }
