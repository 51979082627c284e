//go:build linux && !android && (amd64 || arm64)

package cuda

import (
	"errors"

	"github.com/ebitengine/purego"
)

// open opens the driver's library.
func open() (uintptr, error) {
	var all error
	for _, name := range []string{"libcuda.so.1", "libcuda.so"} {
		lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return lib, nil
		}
		all = errors.Join(all, err)
	}
	return 0, all
}

func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
