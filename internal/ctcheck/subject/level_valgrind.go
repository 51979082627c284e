//go:build valgrind && amd64 && !purego

package main

import "github.com/koblitz-go/koblitz/internal/cpu"

// level brings in the kernels that valgrind can run and CPUID under it hides.
func level() {
	if cpu.Has(cpu.BMI2) {
		cpu.Assume(cpu.ADX)
	}
}
