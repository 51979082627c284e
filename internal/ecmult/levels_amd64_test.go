//go:build !purego

package ecmult

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the table reads at each level that has some of its own.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		t.Run("Read", TestRead)
	}, cputest.Portable, cputest.AVX2, cputest.AVX512F)
}
