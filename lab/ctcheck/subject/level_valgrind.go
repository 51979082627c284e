//go:build valgrind && amd64 && !purego

package main

import "github.com/koblitz-go/koblitz/internal/cpu"

// assume enables features that CPUID hides under valgrind although the build can use them: ADCX and
// ADOX, which valgrind supports, and lanes, with kernels that ctcheck replaces by portable
// versions.
func assume() {
	if cpu.Has(cpu.BMI2) {
		cpu.Assume(cpu.ADX)
	}
	cpu.Assume(cpu.Lanes)
}
