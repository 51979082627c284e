package device_test

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	inner "github.com/koblitz-go/koblitz/internal/device"
)

// A nothing is an engine that does nothing.
type nothing struct{}

func (*nothing) Pays(inner.Kind, int) bool              { return false }
func (*nothing) Run(context.Context, *inner.Call) error { return nil }

// TestDevice: what a module for an accelerator makes, and a program holds, is the same.
func TestDevice(t *testing.T) {
	e := new(nothing)
	d := (*device.Device)(inner.New(e))
	if (*inner.Device)(d).Engine() != inner.Engine(e) {
		t.Error("another engine")
	}
	var none device.Device
	if (*inner.Device)(&none).Engine() != nil || (*inner.Device)(nil).Engine() != nil {
		t.Error("no device has an engine")
	}
}
