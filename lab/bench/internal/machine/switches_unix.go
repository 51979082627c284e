//go:build unix

package machine

import "syscall"

// Switches returns how often the system has taken the CPU away from this process although it had
// more work (involuntary context switches, getrusage(2)), or Unknown.
func Switches() int {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return Unknown
	}
	return int(u.Nivcsw)
}
