package secret

import (
	"crypto/subtle"
	"runtime"
)

// timed calls f so that the time of instructions does not depend on data. On Arm CPUs with DIT, it
// sets this bit of the processor state, for which Arm guarantees this. Other CPUs have no such
// setting, and timed only calls f.
func timed(f func()) {
	if runtime.GOARCH == "arm64" {
		subtle.WithDataIndependentTiming(f)
		return
	}
	f()
}
