package main

import (
	"runtime/debug"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// TestLinked checks that only builds with device support link the code that loads driver libraries.
func TestLinked(t *testing.T) {
	b, ok := debug.ReadBuildInfo()
	if !ok || len(b.Deps) == 0 {
		t.Fatal("this build does not know what it is made of")
	}
	found := false
	for _, m := range b.Deps {
		if m.Path == "github.com/ebitengine/purego" || m.Path == "github.com/koblitz-go/koblitz/gpu" {
			found = true
		}
	}
	if want := devices.None == "none"; found != want { // the other builds say why they have none
		t.Errorf("modules of devices: %v, want %v", found, want)
	}
}
