//go:build ((linux && !android) || darwin) && (amd64 || arm64)

package opencl

import (
	"errors"
	"runtime"

	"github.com/ebitengine/purego"
)

// load opens the loader of OpenCL. It is never closed.
func load() (uintptr, error) {
	names := []string{"libOpenCL.so.1", "libOpenCL.so"}
	if runtime.GOOS == "darwin" {
		names = []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
	}
	var all error
	for _, name := range names {
		lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return lib, nil
		}
		all = errors.Join(all, err)
	}
	return 0, all
}

func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
