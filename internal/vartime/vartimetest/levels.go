package vartimetest

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// OnLanes runs f with the kernels for lanes, at each of their levels, and with the portable version
// of lanes.
func OnLanes(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	cputest.Run(t, f, cputest.AllLanes()...)
	t.Run("portable lanes", func(t *testing.T) {
		defer cpu.Restrict(cpu.BMI2 | cpu.ADX)()
		f(t)
	})
}
