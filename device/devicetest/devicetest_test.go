package devicetest

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// known reports whether calls of kind k and the rules r are defined.
func known(k device.Kind, r device.Rules, _ int) bool {
	return k >= device.Schnorr && k <= device.RecoverAddress && r&^7 == 0
}

// TestConcurrentCPU checks that the test suite, which runs calls concurrently, finds no fault in
// the CPU.
func TestConcurrentCPU(t *testing.T) {
	Test(t, &enginetest.Fake{Accept: known, Do: func(_ context.Context, c *device.Call) error {
		return byCPU(c)
	}})
}
