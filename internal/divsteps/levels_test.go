//go:build (amd64 || arm64 || riscv64) && !purego

package divsteps

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests of complete inversions at each level, that is, with each set of CPU
// instructions that has its own code.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, cputest.Tests(TestInvert, TestInvertPair, TestRuns),
		cputest.Portable, cputest.Registers())
}

func BenchmarkPortable(b *testing.B) {
	defer cpu.Restrict(0)()
	b.Run("Invert", BenchmarkInvert)
	b.Run("InvertVartime", BenchmarkInvertVartime)
}
