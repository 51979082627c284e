//go:build !purego

package cpu

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/cpu"
)

// detect returns the features that this build may use. Package golang.org/x/sys/cpu has already
// removed features that GODEBUG turns off.
func detect() Feature { return (present() &^ parseSwitch(os.Getenv(Switch))).complete() }

// present returns the features whose instructions the CPU has. It also tests for instructions that
// the kernels of a feature use and every CPU with the feature has, such as POPCNT: GODEBUG can turn
// off each of them alone.
func present() (f Feature) {
	for _, ext := range []struct {
		feature Feature
		present bool
	}{
		{BMI2, cpu.X86.HasBMI1 && cpu.X86.HasBMI2},
		{ADX, cpu.X86.HasADX},
		{AVX2, cpu.X86.HasAVX && cpu.X86.HasAVX2},
		{FMA, cpu.X86.HasFMA && !splitsVectors(vendor(), signature())},
		{AVXIFMA, cpu.X86.HasAVXIFMA},
		{AVX512F, cpu.X86.HasAVX512 && cpu.X86.HasAVX512F && cpu.X86.HasPOPCNT},
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

// cpuid returns the results of the instruction CPUID in EAX, EBX, ECX and EDX.
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

// hasSHA reports whether the CPU has the SHA extensions, which package golang.org/x/sys/cpu does
// not report.
func hasSHA() bool {
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b>>29&1 == 1
}

// vendor returns the twelve characters with which the CPU names its maker.
func vendor() string {
	_, b, c, d := cpuid(0, 0)
	var s []byte
	for _, x := range []uint32{b, d, c} {
		s = binary.LittleEndian.AppendUint32(s, x)
	}
	return string(s)
}

// signature returns the CPU's family and model, as CPUID encodes them.
func signature() uint32 {
	a, _, _, _ := cpuid(1, 0)
	return a
}

// splitsVectors reports whether the CPU executes an instruction on 256 bits as two on 128: AMD's
// before Zen 2, and Hygon's, which are derived from Zen 1. On them the kernels of LanesAVX2 would
// be slower than single operations.
func splitsVectors(vendor string, signature uint32) bool {
	family := signature >> 8 & 0xf
	if family == 0xf {
		family += signature >> 20 & 0xff
	}
	model := signature>>4&0xf | signature>>12&0xf0
	switch vendor {
	case "AuthenticAMD":
		return family < 0x17 || family == 0x17 && model < 0x30
	case "HygonGenuine":
		return true
	}
	return false
}
