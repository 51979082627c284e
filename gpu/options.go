package gpu

import (
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/engine"
)

// An Option is an option of [Open]. A nil Option sets nothing.
type Option func(*options)

type options struct {
	name string
	engine.Options
}

// Named opens the device of that name, which is the first word of a Name of [List], as in
// "cuda:0" or "opencl:1", and no other one.
func Named(name string) Option { return func(o *options) { o.name = name } }

// From states from how many rows on calls are given to the device. Without it, or if rows is
// below 1, Open measures for each kind of call when the device is faster than the CPU, which
// takes some seconds; if it never is, it gets no calls.
func From(rows int) Option { return func(o *options) { o.Crossover = rows } }

// MemoryLimit bounds the memory of the host that is used for the rows on their way, and that of
// the device, at bytes each. Without it, or if bytes is below 1, the limit is 256 MiB. Open
// returns an error if it is too little for the shortest launch, some 30 KB. CUDA's pinned memory
// is not counted: at most as much again, rounded up to 4 MiB for each of four launches. Nor is the
// table of multiples of the generator: on the device it takes at most a quarter of the limit, a
// 256th of the device's memory and 33 MiB, or 272 KiB where that is more.
func MemoryLimit(bytes int64) Option { return func(o *options) { o.Memory = bytes } }

// LaunchTimeout is how long a call waits for a launch, which is milliseconds of work for a GPU,
// and for at most three others before it, until the device counts as lost: the calls that wait
// for it are done by the CPU, and it is not asked again. Without it, or if d is not positive,
// that is a minute.
func LaunchTimeout(d time.Duration) Option { return func(o *options) { o.Timeout = d } }

// OnError has a function told of every call in which the device failed, and which the CPU does
// therefore. After three in succession, or a launch that takes too long, the error is
// [ErrLost], and the device is not asked again. Goroutines with calls call hook, several at a
// time, and wait for it.
func OnError(hook func(error)) Option { return func(o *options) { o.Hook = hook } }
