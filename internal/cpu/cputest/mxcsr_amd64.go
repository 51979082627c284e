//go:build !purego

package cputest

// SetMXCSR sets MXCSR, the register of the current thread that controls floating-point arithmetic
// on vectors, to x. It returns the register's value before. The caller must have locked its
// goroutine to the thread, and must restore the value before any floating-point arithmetic.
//
//go:noescape
func SetMXCSR(x uint32) (before uint32)
