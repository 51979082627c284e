package secret

import (
	"crypto/subtle"
	"runtime"
)

// timed calls f with instructions whose time does not depend on data. Arm promises that
// while a bit of the processor's state is set, DIT, which some CPUs have. Others have
// nothing to ask for: f is called, and no more.
func timed(f func()) {
	if runtime.GOARCH == "arm64" {
		subtle.WithDataIndependentTiming(f)
		return
	}
	f()
}
