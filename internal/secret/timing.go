package secret

import (
	"crypto/subtle"
	"runtime"
)

// timed calls f in a mode in which the time of instructions does not depend on data. On Arm CPUs
// with DIT, this mode is a bit of the processor state, which timed sets. Other CPUs have no such
// mode, and timed only calls f.
func timed(f func()) {
	if runtime.GOARCH == "arm64" {
		subtle.WithDataIndependentTiming(f)
		return
	}
	f()
}
