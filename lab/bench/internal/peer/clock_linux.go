package peer

import (
	"time"

	"golang.org/x/sys/unix"
)

// now returns the CPU time that all threads of this process have used so far. On a busy machine,
// wall-clock time would include the time during which the process waits for a CPU.
func now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
