//go:build unix

package batch_test

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that this process has used on all CPUs.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
