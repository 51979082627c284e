// Package between marks what the plugin counts in a program: what is done between two functions.
package between

//ci:untested count runs its callers.

import (
	"fmt"
	"runtime"
)

// Begin and End are where the plugin begins and ends to count.
//
//go:noinline
func Begin() {}

//go:noinline
func End() {}

// Nothing counts what counting itself takes, on the thread that is locked. It comes first.
func Nothing() {
	runtime.LockOSThread()
	Measure("nothing", 2, func() {})
}

// Measure does an operation a number of times, so that what it does once is done, and then three
// times between Begin and End: Go's scheduler may run in one of these. Its name is printed on a
// line.
func Measure(name string, before int, f func()) { Rounds(name, before, 3, f) }

// Rounds is Measure with another number of rounds. Before each of them the scheduler runs, so that
// it seldom interrupts one that takes less than ten milliseconds.
func Rounds(name string, before, rounds int, f func()) {
	for range before {
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
