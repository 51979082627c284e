package secret

import (
	"crypto/subtle"
	"runtime"
)

// timed calls f with instructions whose time does not depend on data. On Arm CPUs with DIT, it
// sets this bit of the processor's state, under which Arm promises such times. Other CPUs have no
// such setting, and timed only calls f.
func timed(f func()) {
	if runtime.GOARCH == "arm64" {
		subtle.WithDataIndependentTiming(f)
		return
	}
	f()
}
