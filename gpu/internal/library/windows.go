//go:build windows && (amd64 || arm64)

package library

import (
	"github.com/ebitengine/purego"
	"golang.org/x/sys/windows"
)

// open searches the library in the system's directory only.
func open(name string) (uintptr, error) {
	lib, err := windows.LoadLibraryEx(name, 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(lib), err
}

func symbol(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}

func register(f any, at uintptr) { purego.RegisterFunc(f, at) }
