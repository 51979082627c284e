package devicetest

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// A cpu is an engine that computes calls of all kinds on the CPU.
type cpu struct{}

func (cpu) Accepts(k device.Kind, r device.Rules, _ int) bool {
	return k >= device.Schnorr && k <= device.RecoverAddress && r&^7 == 0
}

func (cpu) Run(_ context.Context, c *device.Call) error { return byCPU(c) }

// TestConcurrentCPU checks that the test suite, which runs calls concurrently, finds no fault in
// the CPU.
func TestConcurrentCPU(t *testing.T) { Test(t, cpu{}) }

// A careless engine accepts one more kind or one more rule than are defined.
type careless struct {
	cpu
	kind  device.Kind
	rules device.Rules
}

func (c careless) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return k == c.kind && r == c.rules || c.cpu.Accepts(k, r, rows)
}

// TestUndefined checks that kinds and rules which are not defined are found.
func TestUndefined(t *testing.T) {
	for _, e := range []careless{
		{kind: 0}, {kind: device.RecoverAddress + 1}, {kind: 255, rules: device.LowS},
		{kind: device.Schnorr, rules: 1 << 31}, {kind: device.Schnorr, rules: device.Hashed | 8},
	} {
		if faults := undefined(e); len(faults) != 1 {
			t.Errorf("kind %d, rules %#x: %q", e.kind, uint32(e.rules), faults)
		}
	}
	if faults := undefined(cpu{}); faults != nil {
		t.Errorf("the CPU: %q", faults)
	}
}
