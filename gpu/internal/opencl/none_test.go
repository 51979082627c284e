//go:build !(((linux && !android) || darwin || windows) && (amd64 || arm64))

package opencl

import (
	"errors"
	"testing"
)

// TestNone checks that on platforms without OpenCL, List and Open return ErrNone.
func TestNone(t *testing.T) {
	if list, err := List(); list != nil || !errors.Is(err, ErrNone) {
		t.Error(list, err)
	}
	if d, err := Open(0); d != nil || !errors.Is(err, ErrNone) {
		t.Error(d, err)
	}
}
