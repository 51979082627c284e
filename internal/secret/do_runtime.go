//go:build goexperiment.runtimesecret

package secret

import "runtime/secret"

// Do runs f and leaves none of f's values on the stack or in registers. The runtime overwrites
// memory that f allocates when it collects this memory. If f panics, Do does the same, and then
// panics with the same value.
func Do(f func()) {
	returned := false
	timed(func() {
		secret.Do(func() {
			f()
			returned = true
		})
	})
	if !returned { // GODEBUG has panicnil=1, and secret.Do takes panic(nil) for a return
		panic(nil) //layers:allow f panicked
	}
}

// DoDeep does the same as Do.
func DoDeep(f func()) { Do(f) }
