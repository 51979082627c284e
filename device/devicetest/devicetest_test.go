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

// TestUndefined checks that kinds and rules which are not defined are found.
func TestUndefined(t *testing.T) {
	for _, more := range []struct {
		kind  device.Kind
		rules device.Rules
	}{
		{kind: 0}, {kind: device.RecoverAddress + 1}, {kind: 255, rules: device.LowS},
		{kind: device.Schnorr, rules: 1 << 31}, {kind: device.Schnorr, rules: device.Hashed | 8},
	} {
		careless := &enginetest.Fake{Accept: func(k device.Kind, r device.Rules, rows int) bool {
			return k == more.kind && r == more.rules || known(k, r, rows)
		}}
		if faults := undefined(careless); len(faults) != 1 {
			t.Errorf("kind %d, rules %#x: %q", more.kind, uint32(more.rules), faults)
		}
	}
	if faults := undefined(&enginetest.Fake{Accept: known}); faults != nil {
		t.Errorf("the CPU: %q", faults)
	}
}
