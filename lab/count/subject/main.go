// Command subject runs operations that use a secret, for the plugin, which counts and traces what
// the CPU executes between calls of Begin and End. It prints the operations' names, one per line,
// in the order in which it runs them.
package main

//ci:untested count runs it.

import (
	"fmt"
	"runtime"
)

// Begin and End mark where the plugin starts and stops counting.
//
//go:noinline
func Begin() {}

//go:noinline
func End() {}

// measure runs operation f and prints its name on a line. It first runs f once without counting, so
// that one-time work is done. Then it runs f in counted rounds, as often as the constant tries of
// command count says. Before each round it yields to the scheduler, which then seldom interrupts a
// round of less than ten milliseconds.
func measure(name string, f func()) {
	f()
	for range 6 {
		runtime.Gosched()
		Begin()
		f()
		End()
	}
	fmt.Println(name)
}

// grow makes the stack so large that the runtime does not move it later.
//
//go:noinline
func grow() {
	var frame [1 << 16]byte
	runtime.KeepAlive(&frame)
}

func main() {
	grow()
	runtime.LockOSThread()
	trace()
}
