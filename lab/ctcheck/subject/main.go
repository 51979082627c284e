// The subject of ctcheck is a program that uses secrets in every way that the library offers. Each
// case marks its secrets and calls the function that it is named after. Planted cases leak on
// purpose.
//
// All cases run at each level of the CPU. For each level, the program prints the implementations
// and features in use, and the names of the cases as it runs them. Without the tag valgrind the
// marks do nothing, and it is a plain program; a test runs it as one.
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
	for _, keep := range levels {
		restore := cpu.Restrict(keep)
		with := append(cpu.Implementations(), cpu.Features()...)
		if !slices.Equal(with, before) {
			fmt.Println("with:" + strings.Join(with, ","))
			runCases()
			before = with
		}
		restore()
	}
	fmt.Println("end")
}

// levels are the features enabled in each run of all cases: all of them, all except vectors of 512
// bits, and none.
var levels = []cpu.Feature{^cpu.Feature(0), cpu.BMI2 | cpu.ADX | cpu.AVX2, 0}

// runCases runs the planted cases last. Memcheck reports a place once, identified by the four
// innermost functions of its stack: if a planted case met a leak of the library first, no other
// case would report it.
func runCases() {
	for _, f := range slices.Concat(inner, public, planted) {
		fmt.Println(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
		runCase(f)
	}
}

// growStack makes the stack as large as any case needs, so that it does not move while a case runs.
// //
//
//go:noinline
func growStack() int {
	var room [1 << 18]byte
	for i := range room {
		room[i] = byte(sink)
	}
	return int(room[sink&0xff])
}

// runCase is the caller of every case on the stack, so that ctcheck finds the name of the case. //
//
//go:noinline
func runCase(f func()) { f() }
