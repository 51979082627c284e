//go:build !purego

package cpu

import (
	"os"

	"golang.org/x/sys/cpu"
)

// detect returns the features that this build may use. Package golang.org/x/sys/cpu has already
// removed features that GODEBUG turns off.
func detect() Feature { return present() &^ parseSwitch(os.Getenv(Switch)) }

func present() (f Feature) {
	for _, ext := range []struct {
		feature Feature
		present bool
	}{
		{BMI2, cpu.X86.HasBMI1 && cpu.X86.HasBMI2},
		{ADX, cpu.X86.HasADX},
		{AVX2, cpu.X86.HasAVX2},
		{FMA, cpu.X86.HasFMA},
		{AVXIFMA, cpu.X86.HasAVXIFMA},
		{AVX512F, cpu.X86.HasAVX512F},
		{AVX512DQ, cpu.X86.HasAVX512DQ},
		{AVX512VL, cpu.X86.HasAVX512VL},
		{AVX512VBMI2, cpu.X86.HasAVX512VBMI2},
		{AVX512IFMA, cpu.X86.HasAVX512IFMA},
		{SHANI, cpu.X86.HasSSSE3 && hasSHA()},
	} {
		if ext.present {
			f |= ext.feature
		}
	}
	return f
}

// hasSHA reports whether the CPU has the SHA extensions, which package golang.org/x/sys/cpu does
// not report: bit 29 of EBX in leaf 7 of CPUID.
func hasSHA() bool
