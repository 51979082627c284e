//go:build !purego

package ecmult

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// TestEveryLevel runs the table reads again at every level below the best, at
// which they run anyway, and says which those are.
func TestEveryLevel(t *testing.T) {
	t.Logf("the other tests: %v", cpu.Features())
	for _, level := range []struct {
		name string
		keep cpu.Feature
	}{{"without AVX-512", ^cpu.AVX512F}, {"without AVX2", ^(cpu.AVX512F | cpu.AVX2)}, {"portable", 0}} {
		t.Run(level.name, func(t *testing.T) {
			defer cpu.Restrict(level.keep)()
			t.Logf("here: %v", cpu.Features())
			t.Run("Read", TestRead)
		})
	}
}
