package koblitz

import "github.com/koblitz-go/koblitz/internal/cpu"

// Implementations returns the names of the implementations that this process uses, for diagnostics
// such as bug reports and headings of benchmarks. "lanes" computes eight rows at a time in calls
// with many rows, by AVX-512 IFMA. On CPUs without it, "lanes-FMA" does so by AVX-512,
// "lanes-AVX-IFMA" by AVX-IFMA, and "lanes-AVX2" by AVX2 and FMA. "ADX", "A64" (on arm64), "RV64"
// (on riscv64) and "portable" compute one row at a time.
//
// The environment variable KOBLITZ_CPU_OFF, read once when the program starts, disables instruction
// sets. Its value is "lanes", "all", or names of CPU features as the command 'koblitz info' prints
// them, separated by commas. The remaining code gives the same results, and takes constant time for
// secrets. Unknown names are ignored.
//
//ct:public describes the CPU
func Implementations() []string { return cpu.Implementations() }
