package msm

import "github.com/koblitz-go/koblitz/device"

// Options are options of a sum. A nil *Options is the same as the zero value.
type Options struct {
	// Workers is the maximum number of goroutines that work at a time, including the caller's. If
	// it is below 1, the maximum is runtime.GOMAXPROCS(0). Small sums use fewer, and no sum uses
	// more than 64. Results do not depend on it.
	Workers int

	// Device computes the sums that it accepts. If it fails, or returns no point of the curve, the
	// CPU computes the sum. A wrong point of the curve is not noticed, because only computing the
	// sum again would show it. If the identity means that proofs or signatures are valid, a device
	// that wrongly returns the identity makes all of them valid.
	Device *device.Device
}

// get returns the options that o points to, or the zero value if o is nil.
func (o *Options) get() Options {
	if o == nil {
		return Options{}
	}
	return *o
}
