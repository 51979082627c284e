package gpu

import (
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/launch"
)

// An Option is an option of [Open]. A nil Option sets nothing.
type Option func(*options)

type options struct {
	names  []string
	all    bool
	opened func(Opening)
	launch.Options
}

// Named opens the devices with the given names and no others. A name is the first word of Info.Name
// in [List], as in "cuda:0" or "opencl:1". If one of them cannot be opened, Open fails. Several
// devices act as one. They share every call with enough rows for more than one of them to be faster
// than the CPU. Each device takes another part of the rows when it has finished one, so that all
// end at about the same time. If a device fails, the others compute the rows that it did not
// finish. Without names, Named sets nothing.
func Named(names ...string) Option {
	return func(o *options) {
		for _, name := range names {
			if !slices.Contains(o.names, name) {
				o.names = append(o.names, name)
			}
		}
	}
}

// All opens all devices that are not CPUs, through CUDA or, if CUDA has no devices, through OpenCL.
// They share calls as described at [Named]. A device that cannot be opened is left out, and its
// error is passed to the hook of [OnError]. Open fails only if no device can be opened. If Named is
// given too, All has no effect.
func All() Option { return func(o *options) { o.all = true } }

// An Opening holds the durations of the steps of opening a device.
type Opening struct {
	Device Info
	// Context is the time that initializing the driver took.
	Context time.Duration
	// Compile is the time that loading the programs took: the driver compiles them, finds them in
	// its cache, or gets machine code. The program of the benchmarks is not among them. That for
	// sums and equations is not loaded if the device has no memory for a sum.
	Compile time.Duration
	// Table is the time that making the table of multiples of the generator took.
	Table time.Duration
	// Answers is the time that checking rows with known answers took, including the first launch of
	// each kernel.
	Answers time.Duration
	// Crossover is the time that the measurement took which finds the least number of rows for
	// which the device is faster than the CPU: see [From].
	Crossover time.Duration
}

// OnOpen sets a function that Open calls, before it returns, for each device that it has opened,
// with the durations of the steps.
func OnOpen(hook func(Opening)) Option { return func(o *options) { o.opened = hook } }

// From sets the least number of rows for which a call is given to the device. Without it, or if
// rows is below 1, Open measures for each kind of call from how many rows on the device is faster
// than the CPU, which takes some seconds; calls of a kind for which it is never faster stay on the
// CPU. If several devices of one model are opened, only the first is measured.
func From(rows int) Option { return func(o *options) { o.Crossover = rows } }

// MemoryLimit limits the memory that rows in progress use, for each device that is opened. They use
// at most the given number of bytes of host memory, which is pinned if the driver can pin memory,
// and at most as many bytes of device memory. Without it, or if bytes is below 1, the limit is 256
// MiB. Open returns an error if the limit is too small for the shortest launch, which takes some 30
// KB.
//
// The limit does not count the driver's own memory. It does not count the table of multiples of the
// generator either, which takes at most a quarter of the limit, a 256th of the device's memory and
// 33 MiB, but at least 272 KiB. Tables of prepared keys take at most another quarter. The terms of
// a sum of package msm, or of the equation of VerifyAll, take up to twice the limit on the device
// in addition; that memory is kept for the next sum.
func MemoryLimit(bytes int64) Option { return func(o *options) { o.Memory = bytes } }

// LaunchTimeout sets how long a call waits for a launch. This time includes at most three launches
// queued before it. A GPU usually carries out a launch in milliseconds. If the call waits longer,
// the device counts as lost: the CPU carries out the waiting calls, and the device gets no more
// calls. Without LaunchTimeout, or if d is not positive, the limit is a minute.
func LaunchTimeout(d time.Duration) Option { return func(o *options) { o.Timeout = d } }

// OnError sets a function that is called with the error of each call in which the device failed.
// The CPU carries out such a call. If there are several devices, the other devices do, and the
// error begins with the name of the device that failed. After three failures in succession, a
// launch that takes too long or cannot be waited for, or an error of CUDA after which all calls
// fail, the error is [ErrLost], and the device gets no more calls. The goroutines that make calls
// run the hook, perhaps several at a time, and wait for it. If a device is found to be lost after
// the calls that waited for it have ended, another goroutine runs the hook.
func OnError(hook func(error)) Option { return func(o *options) { o.Hook = hook } }
