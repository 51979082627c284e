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
	if err := lib.Bind(a, "cu"); err != nil {
		return nil, fmt.Errorf("%w: the CUDA driver %w", ErrNone, err)
	}
	return a, nil
}
