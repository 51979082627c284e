package devicetest

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// A cpu is the CPU as an engine, for all kinds.
type cpu struct{}

func (cpu) Accepts(k device.Kind, r device.Rules, _ int) bool {
	return k >= device.Schnorr && k <= device.RecoverAddress && r&^7 == 0
}

func (cpu) Run(_ context.Context, c *device.Call) error { return byCPU(c) }

// TestConcurrentCPU: the suite, whose calls run at the same time, finds nothing wrong with the CPU.
func TestConcurrentCPU(t *testing.T) { Test(t, cpu{}) }
