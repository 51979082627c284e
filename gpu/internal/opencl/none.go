//go:build !(((linux && !android) || darwin || windows) && (amd64 || arm64))

package opencl

import (
	"fmt"
	"runtime"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// errPlatform is what there is on platforms without the library's binding.
var errPlatform = fmt.Errorf("%w: not on %s/%s", ErrNone, runtime.GOOS, runtime.GOARCH)

// List returns an error: there is no way to devices on this platform.
func List() ([]driver.Info, error) { return nil, errPlatform }

// Open returns an error: there is no way to devices on this platform.
func Open(index int) (driver.Device, error) { return nil, errPlatform }
