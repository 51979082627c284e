// The subject of ctcheck is a program that uses secrets in every way that the library offers. Each
// case is a function on a list, which runFunctions calls with secrets, an operation of package
// operations, or a function named after the function of the library that it calls. Planted cases
// leak on purpose.
//
// All cases run at each level of the CPU. For each level, the program prints the implementations
// and features in use, and the name of each case before it runs. Without the tag valgrind, marking
// a secret does nothing, so that a test can run the program without valgrind.
package main

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
)

func main() { cases.Main(&cases.Random{}, &sink, runLevels) }

func runLevels() {
	assume()
	before := []string{"none"}
	if !cases.Marks {
		levels = levels[len(levels)-1:] // the fastest
	}
	for i, keep := range levels {
		restore := cpu.Restrict(keep)
		with := append(cpu.Implementations(), cpu.Features()...)
		if !slices.Equal(with, before) {
			cases.Level(with)
			runCases(i == 0)
			before = with
		}
		restore()
	}
}

// levels holds the CPU features that are enabled while all cases run: all features; those with
// which vector lanes use AVX-512 without IFMA, AVX-IFMA, or AVX2; those without lanes; and none.
var levels = []cpu.Feature{
	^cpu.Feature(0),
	cpu.BMI2 | cpu.ADX | cpu.AVX2 | cpu.LanesFMA,
	cpu.BMI2 | cpu.ADX | cpu.LanesAVXIFMA | cpu.SHANI,
	cpu.BMI2 | cpu.ADX | cpu.LanesAVX2 | cpu.SHANI,
	cpu.BMI2 | cpu.ADX | cpu.AVX2 | cpu.SHANI,
	0,
}

// runCases runs all cases, and the planted ones last. Memcheck reports an error once for each
// combination of the four innermost functions on the stack. If a planted case met a leak of the
// library first, memcheck would not report it for other cases.
//
// The operations of package operations run after the subject's own cases, because a leak that is
// planted in the library shows only for a limited number of calls, and operations make many calls
// without secrets, such as those of Zeroize. They run with every variation of their operands at the
// first level: what refuses operands is the same at each.
func runCases(first bool) {
	runFunctions(functions)
	cases.Run(fixed...)
	runListed(first || !cases.Marks)
	cases.Run(planted...)
}
