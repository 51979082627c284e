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
