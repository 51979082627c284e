//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestWarnings checks that compiling a program produces no log, because some drivers print the log
// to standard error.
func TestWarnings(t *testing.T) {
	opened, err := Open(0)
	if err != nil {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	d := opened.(*device)
	const source = "#warning of a test\n__kernel void k_nothing(uint n) {}\n"
	if err := d.Load(&driver.Program{Name: "warnings", Source: source}); err != nil {
		t.Fatal(err)
	}
	if said := d.buildLog(d.programs[0], d.device); said != "" {
		t.Errorf("the compiler says %q", said)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
