package probes

import (
	koblitz "github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/mmcloughlin/avo/ir"
	"golang.org/x/sys/cpu"
)

// present returns the instruction set extensions that this CPU has, by avo's names. It assumes that
// a CPU with AVX2 has all older extensions that x86-64 CPUs of the last ten years have.
func present() map[string]bool {
	x := &cpu.X86
	return map[string]bool{
		"SSE2": x.HasSSE2, "SSSE3": x.HasSSSE3, "SSE4.1": x.HasSSE41, "CMOV": true, "SSE": true,
		"SHA": koblitz.Has(koblitz.SHANI), "POPCNT": x.HasPOPCNT,
		"BMI": x.HasBMI1, "BMI2": x.HasBMI2, "LZCNT": x.HasBMI1 && x.HasAVX2, "ADX": x.HasADX,
		"AVX": x.HasAVX, "AVX2": x.HasAVX2, "FMA3": x.HasFMA,
		"AVX512F": x.HasAVX512F, "AVX512VL": x.HasAVX512VL, "AVX512BW": x.HasAVX512BW,
		"AVX512DQ":    x.HasAVX512DQ,
		"AVX512VBMI2": x.HasAVX512VBMI2, "AVX512IFMA": x.HasAVX512IFMA,
	}
}

// Lacks returns the name of an instruction set extension that the function fn needs and this CPU
// lacks, or "".
func Lacks(fn *ir.Function) string {
	have := present()
	for _, isa := range fn.ISA {
		if !have[isa] {
			return isa
		}
	}
	return ""
}
