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
	"crypto/rand"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

func main() {
	rand.Reader = &secretRandom{}
	assume()
	sink += growStack()
	before := []string{"none"}
	if !marks {
		levels = levels[len(levels)-1:] // the fastest
	}
	for i, keep := range levels {
		restore := cpu.Restrict(keep)
		with := append(cpu.Implementations(), cpu.Features()...)
		if !slices.Equal(with, before) {
			fmt.Println("with:" + strings.Join(with, ","))
			runCases(i == 0)
			before = with
		}
		restore()
	}
	fmt.Println("end")
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
	run := func(cases []func()) {
		for _, f := range cases {
			fmt.Println(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
			runCase(f)
		}
	}
	run(fixed)
	runListed(first || !marks)
	run(planted)
}

// growStack makes the stack as large as any case needs, so that it does not move while a case runs.
//
//go:noinline
func growStack() int {
	var buf [1 << 18]byte
	for i := range buf {
		buf[i] = byte(sink)
	}
	return int(buf[sink&0xff])
}

// runCase calls a case. ctcheck finds the case in a stack trace: it is the function that
// main.runCase calls.
//
//go:noinline
func runCase(f func()) { f() }
