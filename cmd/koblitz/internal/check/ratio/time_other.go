//go:build !unix

package ratio

import "time"

// cpuTime returns 0, because this system does not report the CPU time of a process.
func cpuTime() time.Duration { return 0 }
