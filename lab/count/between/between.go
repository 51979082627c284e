// Package between marks the part of a program that the plugin counts: the code between two
// functions.
package between

//ci:untested count runs its callers.

import (
	"fmt"
	"runtime"
)

// Begin and End start and stop the plugin's counting. //
//
//go:noinline
func Begin() {}

//go:noinline
func End() {}

// Nothing measures the cost of counting itself, and locks the goroutine to its thread. It must be
// called first.
func Nothing() {
	runtime.LockOSThread()
	Measure("nothing", 2, func() {})
}

// Measure prints an operation's name on a line. It runs the operation before times, to complete any
// one-time work, and then three times between Begin and End, because Go's scheduler may run during
// one.
func Measure(name string, before int, f func()) { Rounds(name, before, 3, f) }

// Rounds is like Measure with another number of rounds. Before each round it lets the scheduler
// run, which then seldom interrupts a round of less than ten milliseconds.
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
