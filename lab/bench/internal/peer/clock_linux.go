package peer

import (
	"time"

	"golang.org/x/sys/unix"
)

// now is the CPU time that this process has taken so far, with all its threads. On
// a machine with other work the time of day says how long an operation had to wait;
// the CPU time says what it cost.
func now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
