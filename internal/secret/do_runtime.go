//go:build goexperiment.runtimesecret

package secret

import "runtime/secret"

// Do runs f and leaves none of f's values on the stack or in registers. The runtime overwrites
// memory that f allocates when it collects this memory.
func Do(f func()) { timed(func() { secret.Do(f) }) }

// DoDeep does the same as Do.
func DoDeep(f func()) { timed(func() { secret.Do(f) }) }
