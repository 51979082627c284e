//go:build !linux

package peer

import "time"

var started = time.Now()

// now returns the time since the program started, on systems for which the CPU time of a process is
// not implemented here.
func now() time.Duration { return time.Since(started) }
