package koblitz

import "github.com/koblitz-go/koblitz/internal/cpu"

// Implementations returns the names of the implementations that this process
// uses, for diagnostics: bug reports, and the heading of a benchmark. "lanes" computes eight
// rows at a time where there are many, "ADX", "A64" (on arm64), "RV64" (on riscv64) and
// "portable" one.
//
// The environment variable KOBLITZ_CPU_OFF, read once when the program starts, takes instruction
// sets away: "lanes", "all", or names of features as the command 'koblitz info' prints them, with
// commas between them. It can only take away, and what is left gives the same results, on
// secrets in constant time. Names that mean nothing are passed over.
//
//ct:public tells about the CPU
func Implementations() []string { return cpu.Implementations() }
