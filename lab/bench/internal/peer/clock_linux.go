package peer

import (
	"time"

	"golang.org/x/sys/unix"
)

// now returns the CPU time that all threads of this process have used so far. On a busy machine,
// the time of day would include the time that an operation waits.
func now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
