package gpu

import (
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/engine"
)

// An Option is an option of [Open]. A nil Option sets nothing.
type Option func(*options)

type options struct {
	names  []string
	all    bool
	opened func(Opening)
	engine.Options
}

// Named opens the devices of these names, each of which is the first word of a Name of [List], as
// in "cuda:0" or "opencl:1", and no other ones. If one of them cannot be opened, none is. Several
// share every call that pays on more than one of them: each takes another part of its rows when
// it is done with one, so that all end at about the same time. They are one device then: what
// one fails to do the others do. Without names, Named sets nothing.
func Named(names ...string) Option {
	return func(o *options) {
		for _, name := range names {
			if !slices.Contains(o.names, name) {
				o.names = append(o.names, name)
			}
		}
	}
}

// All opens all devices that are no CPUs, of CUDA or, if that has none, of OpenCL, to share calls
// as those of [Named] do. A device that cannot be opened is left out, and the hook of [OnError]
// is told; it is an error if none can. With Named, All does nothing.
func All() Option { return func(o *options) { o.all = true } }

// An Opening is what it took to open a device.
type Opening struct {
	Device Info
	// Context is for the driver to be initialized.
	Context time.Duration
	// Compile is for the programs to be compiled, or to be found in the driver's cache.
	Compile time.Duration
	// Table is for the table of the generator's multiples.
	Table time.Duration
	// Answers is for the rows whose answers are known, among them the first launches of all kinds.
	Answers time.Duration
	// Crossover is for finding out from how many rows on calls pay: see [From].
	Crossover time.Duration
}

// OnOpen has a function told of each device that was opened what that took, before Open returns.
func OnOpen(hook func(Opening)) Option { return func(o *options) { o.opened = hook } }

// From states from how many rows on calls are given to the device. Without it, or if rows is
// below 1, Open measures for each kind of call when the device is faster than the CPU, which
// takes some seconds; if it never is, it gets no calls. Of several devices of one model the first
// is measured.
func From(rows int) Option { return func(o *options) { o.Crossover = rows } }

// MemoryLimit bounds the memory of the host that is used for the rows on their way, all of it
// pinned where the driver has such, and that of the device, at bytes each, for each device that
// is opened. Without it, or if bytes is below 1, the limit is 256 MiB. Open returns an error if it
// is too little for the shortest launch, some 30 KB. What the driver needs for itself is not
// counted. Nor is the table of multiples of the generator: on the device it takes at most a quarter
// of the limit, a 256th of the device's memory and 33 MiB, or 272 KiB where that is more. Tables of
// prepared keys take another quarter at most. The terms of a sum of package msm, or of the one
// equation of VerifyAll, take up to twice the limit on the device besides, which are kept for the
// next one.
func MemoryLimit(bytes int64) Option { return func(o *options) { o.Memory = bytes } }

// LaunchTimeout is how long a call waits for a launch, which is milliseconds of work for a GPU,
// and for at most three others before it, until the device counts as lost: the calls that wait
// for it are done by the CPU, and it is not asked again. Without it, or if d is not positive,
// that is a minute.
func LaunchTimeout(d time.Duration) Option { return func(o *options) { o.Timeout = d } }

// OnError has a function told of every call in which the device failed, and which the CPU does
// therefore, or the other devices, if there are several: then the error begins with the name of
// the one that failed. After three in succession, or a launch that takes too long, the error is
// [ErrLost], and the device is not asked again. Goroutines with calls call hook, several at a
// time, and wait for it. A device that turns out to hang when the calls that waited for it have
// ended is told by a goroutine of its own.
func OnError(hook func(error)) Option { return func(o *options) { o.Hook = hook } }
