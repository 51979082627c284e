//go:build unix

package ratio

import (
	"syscall"
	"time"
)

// cpuTime is what the process has taken of all CPUs: on a machine that does other things, too, it
// says more than the time that has passed.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
