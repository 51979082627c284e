//go:build !linux

package cudatest

// thread returns 0: the simulated driver distinguishes threads on Linux only.
func thread() int { return 0 }
