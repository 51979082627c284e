//go:build !unix

package ratio

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
