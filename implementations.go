package koblitz

import "github.com/koblitz-go/koblitz/internal/cpu"

// Implementations returns the names of the implementations that this process
// uses, for diagnostics: bug reports, and the heading of a benchmark.
func Implementations() []string { return cpu.Implementations() }
