package cuda

import (
	"fmt"
	"runtime"

	"github.com/koblitz-go/koblitz/gpu/internal/library"
)

// libraries returns the names of the driver's library on this platform.
func libraries() []string {
	switch runtime.GOOS {
	case "linux":
		return []string{"libcuda.so.1", "libcuda.so"}
	case "windows":
		return []string{"nvcuda.dll"}
	}
	return nil
}

// Load loads the CUDA driver and finds its functions. The library is never unloaded.
func Load() (*API, error) {
	lib, err := library.Open(libraries()...)
	if err != nil {
		return nil, fmt.Errorf("%w: no CUDA driver: %w", ErrNone, err)
	}
	a := new(API)
	for _, b := range a.bindings() {
		at, err := lib.Symbol(b.symbol)
		switch {
		case err == nil:
			library.Register(b.field, at)
		case !b.optional:
			return nil, fmt.Errorf("%w: the CUDA driver has no %s", ErrNone, b.symbol)
		}
	}
	return a, nil
}
