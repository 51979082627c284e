package main

import (
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestLanes: info says why there are no lanes, and names AVX-IFMA where a CPU has
// that alone.
func TestLanes(t *testing.T) {
	have := cpu.Has(cpu.Lanes)
	if got := lanes(); strings.HasPrefix(got, "eight") != have {
		t.Errorf("lanes %v: %q", have, got)
	}
	restore := cpu.Restrict(cpu.BMI2 | cpu.ADX | cpu.AVX2)
	if got := lanes(); got != "none: they need AVX-512 IFMA" {
		t.Errorf("without AVX-512: %q", got)
	}
	restore()
	t.Run("AVX512F alone", func(t *testing.T) {
		cputest.Need(t, cputest.AVX512F)
		defer cpu.Restrict(cpu.AVX512F)()
		if got := lanes(); !strings.Contains(got, "without the extensions") {
			t.Errorf("with AVX512F alone: %q", got)
		}
	})
}
