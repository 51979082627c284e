package msm

import (
	"runtime"

	"github.com/koblitz-go/koblitz/device"
	inner "github.com/koblitz-go/koblitz/internal/device"
)

// Every call takes the options that mean something to it, and no others.
type (
	// An Option is an option of every sum: Workers.
	Option interface {
		SumOption
		option()
	}
	// A SumOption is one of [SumVartime], [PackedSumVartime] and [NewAccumulator]: Workers, On.
	SumOption interface {
		set(*options)
		sumOption()
	}
)

type options struct {
	workers int // below 1: as many as GOMAXPROCS says
	device  inner.Engine
}

// gather returns the settings of all options together. A nil option sets nothing.
func gather[O interface {
	comparable
	set(*options)
}](opts []O) (o options) {
	var none O
	for _, opt := range opts {
		if opt != none {
			opt.set(&o)
		}
	}
	return o
}

// most returns the most workers that a sum may have.
func (o options) most() int {
	if o.workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return o.workers
}

// A WorkersOption is what [Workers] returns.
type WorkersOption struct{ n int }

// Workers lets n goroutines work at a time, the caller's among them. Without it,
// or if n is below 1, there are as many as runtime.GOMAXPROCS says. Small sums
// have fewer, and none has more than 64. Results do not depend on it.
func Workers(n int) WorkersOption { return WorkersOption{n} }

func (w WorkersOption) set(o *options) { o.workers = w.n }
func (WorkersOption) option()          {}
func (WorkersOption) sumOption()       {}

// A DeviceOption is what [On] returns.
type DeviceOption struct{ d *device.Device }

// On gives a sum to a device where that pays. If the device fails, or gives what is no
// point, the CPU computes the sum. A sum that is a point, and not the right one, cannot
// be told from the right one without computing it: the device is trusted that far. A
// nil device is none.
func On(d *device.Device) DeviceOption { return DeviceOption{d} }

func (d DeviceOption) set(o *options) { o.device = (*inner.Device)(d.d).Engine() }
func (DeviceOption) sumOption()       {}
