// Package between marks the part of a program that the plugin of command count counts: the code
// between calls of Begin and End.
package between

//ci:untested count runs its callers.

import (
	"fmt"
	"os"
	"runtime"
)

// Begin and End mark where the plugin starts and stops counting.
//
//go:noinline
func Begin() {}

//go:noinline
func End() {}

// The function Nothing measures an empty operation, which is the cost of counting itself. It also
// locks the goroutine to its thread. It must be called before all other measurements.
func Nothing() {
	runtime.LockOSThread()
	Measure("nothing", 2, func() {})
}

// Measure measures operation f and prints its name on a line. It first calls f without counting, as
// often as warmups says, so that one-time work is done. Then it calls f in three counted rounds,
// because Go's scheduler may run during one of them.
func Measure(name string, warmups int, f func()) { Rounds(name, warmups, 3, f) }

// Rounds is like Measure, with the given number of counted rounds. Before each round it yields to
// the scheduler, which then seldom interrupts a round of less than ten milliseconds.
func Rounds(name string, warmups, rounds int, f func()) {
	for range warmups {
		f()
	}
	for range rounds {
		runtime.Gosched()
		Begin()
		f()
		End()
	}
	fmt.Println(name)
}

// Check ends the program if err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Must returns v. It ends the program if err is not nil.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}
