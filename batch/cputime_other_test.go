//go:build !unix

package batch_test

import "time"

// cpuTime returns 0: the CPU time is unknown on this platform.
func cpuTime() time.Duration { return 0 }
