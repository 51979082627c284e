//go:build !purego

package parallel

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests with the kernels and with the portable versions.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		for _, test := range []struct {
			name string
			run  func(t *testing.T)
		}{
			{"Operations", TestOperations},
			{"SetAddends", TestSetAddends},
			{"Multiples", TestMultiples},
			{"Jacobian", TestJacobian},
		} {
			t.Run(test.name, test.run)
		}
	}, cputest.Portable, cputest.Lanes)
}
