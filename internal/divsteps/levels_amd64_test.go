//go:build !purego

package divsteps

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// TestEveryLevel runs the tests of whole inversions again in portable code; at
// the best level they run anyway.
func TestEveryLevel(t *testing.T) {
	t.Logf("the other tests: %v", cpu.Implementations())
	defer cpu.Restrict(0)()
	t.Logf("here: %v", cpu.Implementations())
	t.Run("Invert", TestInvert)
	t.Run("Runs", TestRuns)
}

func BenchmarkPortable(b *testing.B) {
	defer cpu.Restrict(0)()
	b.Run("Invert", BenchmarkInvert)
	b.Run("InvertVartime", BenchmarkInvertVartime)
}
