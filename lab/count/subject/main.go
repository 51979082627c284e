// Command subject runs operations for the plugin, which counts or traces what the CPU executes
// between calls of Begin and End. It runs one operation of each kind, or with the argument secrets
// the operations that use a secret. It prints the operations' names, one per line, in the order in
// which it runs them.
package main

//ci:untested count runs it.

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

// run runs operation f and prints its name on a line. It first runs f without counting, as often as
// warmups says, so that one-time work is done. Then it runs f in counted rounds. Before each round
// it yields to the scheduler, which then seldom interrupts a round of less than ten milliseconds.
func run(name string, warmups, rounds int, f func()) {
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
	if len(os.Args) > 1 {
		trace()
	} else {
		count()
	}
}
