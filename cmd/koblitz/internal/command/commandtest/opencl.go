//go:build gpu

package commandtest

import (
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu"
)

// OpenCL returns the name of an OpenCL device that runs on the CPU.
func OpenCL(t *testing.T) string {
	t.Helper()
	for _, d := range gpu.List() {
		if word, _, _ := strings.Cut(d.Name, " "); d.CPU && strings.HasPrefix(word, "opencl:") {
			return word
		}
	}
	t.Skip("without OpenCL: no device is a CPU; install pocl-opencl-icd and ocl-icd-libopencl1")
	return ""
}
