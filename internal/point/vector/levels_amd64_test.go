//go:build !purego

package vector

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests with the kernels and with the portable versions.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, cputest.Tests(TestOperations, TestSetAddends, TestMultiples, TestJacobian),
		cputest.Portable, cputest.LanesAVXIFMA, cputest.Lanes)
}

// TestAvailable checks that Available reports whether the level has kernels for this package.
func TestAvailable(t *testing.T) {
	for level, want := range map[cputest.Level]bool{
		cputest.Portable: false, cputest.ADX: false, cputest.LanesAVX2: false,
		cputest.LanesAVXIFMA: true, cputest.LanesFMA: false, cputest.Lanes: true,
	} {
		t.Run(string(level), func(t *testing.T) {
			cputest.Use(t, level)
			if got := Available(); got != want {
				t.Errorf("%t, want %t", got, want)
			}
		})
	}
}
