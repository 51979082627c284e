package msm

import (
	"runtime"

	"github.com/koblitz-go/koblitz/device"
)

// Options say how a sum is computed. A nil *Options is the same as the zero value.
type Options struct {
	// Workers is the greatest number of goroutines that work at a time, the caller's included.
	// If it is below 1, runtime.GOMAXPROCS(0) is taken. Small sums have fewer, and none has
	// more than 64. Results do not depend on it.
	Workers int

	// Device computes the sums that it accepts. If it fails, or returns no point of the curve,
	// the CPU computes the sum. No other error of the device is noticed: a wrong point cannot
	// be told from the right one without computing the sum. If a sum that is the identity means
	// that proofs or signatures are valid, a device that returns the identity makes all of them
	// valid.
	Device *device.Device
}

// get returns the options that o points to, or the zero value if o is nil.
func (o *Options) get() Options {
	if o == nil {
		return Options{}
	}
	return *o
}

// most returns the greatest number of workers that a sum may have.
func (o *Options) most() int {
	if o.Workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}
