//go:build !linux

package peer

import "time"

var started = time.Now()

// now returns the time since the program started. This package does not read the CPU time of the
// process on this system.
func now() time.Duration { return time.Since(started) }
