//go:build unix

package ratio

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of the process on all CPUs. Other load on the machine affects it
// less than the elapsed time.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
