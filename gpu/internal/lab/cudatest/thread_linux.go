package cudatest

import "syscall"

// thread returns the number of the thread that calls it.
func thread() int { return syscall.Gettid() }
