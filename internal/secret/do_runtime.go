//go:build goexperiment.runtimesecret

package secret

import "runtime/secret"

// Do runs f and leaves none of f's values on the stack or in registers. Memory that f
// allocates is overwritten when it is collected.
func Do(f func()) { timed(func() { secret.Do(f) }) }

// DoDeep is Do.
func DoDeep(f func()) { timed(func() { secret.Do(f) }) }
