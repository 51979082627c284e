//go:build !(((linux && !android) || windows) && (amd64 || arm64))

package cuda

import (
	"fmt"
	"runtime"
)

// Load returns an error: there is no way to devices on this platform.
func Load() (*API, error) {
	return nil, fmt.Errorf("%w: not on %s/%s", ErrNone, runtime.GOOS, runtime.GOARCH)
}
