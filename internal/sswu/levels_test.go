//go:build (amd64 || arm64 || riscv64) && !purego

package sswu

import (
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests again at each level of CPU features that has kernels of its own for
// the field or for lanes.
func TestEveryLevel(t *testing.T) {
	levels := append(cputest.AllLanes(), cputest.Portable)
	if runtime.GOARCH != "amd64" {
		levels = []cputest.Level{cputest.Portable, cputest.Registers()}
	}
	cputest.Run(t, cputest.Tests(TestMap, TestMapLanes, TestHash, TestManyHash), levels...)
}
