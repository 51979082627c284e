package gpu

import (
	"testing"

	"github.com/koblitz-go/koblitz/device/devicetest"
)

// TestSuite runs the tests of package devicetest on an engine with an OpenCL device.
func TestSuite(t *testing.T) {
	if !deep() {
		t.Skip("without KOBLITZ_DEEP: compares some hundred thousand rows with the CPU's")
	}
	d := openCL(t, From(1), OnError(func(err error) { t.Error(err) }))
	devicetest.Test(t, d.Engine())
}
