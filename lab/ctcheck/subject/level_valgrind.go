//go:build valgrind && amd64 && !purego

package main

import "github.com/koblitz-go/koblitz/internal/cpu"

// assume enables features that the CPUID instruction hides under valgrind, but that the build can
// use. ADCX and ADOX are supported by valgrind. The kernels for vectors of 512 bits and SHA-NI are
// replaced by ctcheck.
func assume() {
	if cpu.Has(cpu.BMI2) {
		cpu.Assume(cpu.ADX)
	}
	cpu.Assume(cpu.Lanes | cpu.LanesAVXIFMA | cpu.SHANI)
}
