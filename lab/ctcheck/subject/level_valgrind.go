//go:build valgrind && amd64 && !purego

package main

import "github.com/koblitz-go/koblitz/internal/cpu"

// assume brings in what runs under valgrind and CPUID there hides: ADCX and ADOX, which
// it knows, and lanes, for whose kernels ctcheck puts twins in Go into this build.
func assume() {
	if cpu.Has(cpu.BMI2) {
		cpu.Assume(cpu.ADX)
	}
	cpu.Assume(cpu.Lanes)
}
