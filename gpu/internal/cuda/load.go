//go:build ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Load returns the functions of the CUDA driver. The library is never closed.
func Load() (*API, error) {
	lib, err := open()
	if err != nil {
		return nil, fmt.Errorf("%w: no CUDA driver: %w", ErrNone, err)
	}
	a := new(API)
	for _, b := range a.bindings() {
		at, err := symbol(lib, b.symbol)
		switch {
		case err == nil && at != 0:
			purego.RegisterFunc(b.field, at)
		case !b.optional:
			return nil, fmt.Errorf("%w: the CUDA driver has no %s", ErrNone, b.symbol)
		}
	}
	return a, nil
}
