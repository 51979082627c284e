//go:build !windows

package peer

import (
	"runtime"

	"github.com/ebitengine/purego"
)

func dlopen(path string) (uintptr, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if runtime.GOOS == "linux" {
		mode |= 8 // RTLD_DEEPBIND: the library's own symbols precede those that cgo may have linked
	}
	return purego.Dlopen(path, mode)
}

func dlsym(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }
