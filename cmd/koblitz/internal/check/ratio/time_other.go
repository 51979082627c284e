//go:build !unix

package ratio

import "time"

// cpuTime returns 0: this system does not report the CPU time.
func cpuTime() time.Duration { return 0 }
