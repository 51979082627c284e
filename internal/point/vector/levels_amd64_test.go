//go:build !purego

package vector

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests with the kernels and with the portable versions.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, cputest.Tests(TestOperations, TestSetAddends, TestMultiples, TestJacobian),
		cputest.Portable, cputest.Lanes)
}
