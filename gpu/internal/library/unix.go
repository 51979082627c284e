//go:build ((linux && !android) || darwin) && (amd64 || arm64)

package library

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open and symbol stay on one thread, where the system keeps the reason for a failure.
func open(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func symbol(lib uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(lib, name)
}

func register(f any, at uintptr) { purego.RegisterFunc(f, at) }
