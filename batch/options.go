package batch

import "github.com/koblitz-go/koblitz/internal/engine"

// An Option changes how rows are verified. An option that means nothing to a
// call has no effect.
type Option func(*options)

type options struct {
	workers int // below 1: as many as GOMAXPROCS says
	lowS    bool
	memory  *engine.Memory // nil: new for every call
}

// Workers lets n goroutines work at a time, the caller's among them. Without it,
// or if n is below 1, there are as many as runtime.GOMAXPROCS says. Small calls
// have fewer. Verdicts do not depend on it.
func Workers(n int) Option { return func(o *options) { o.workers = n } }

// LowS makes ECDSA signatures with s above n/2 invalid, as in
// [ecdsa.VerifyLowS]; in recovery, no key comes out of them.
func LowS() Option { return func(o *options) { o.lowS = true } }

// A Memory keeps the working memory of calls, at most about 210 KB for each
// worker, for later calls; see [Reuse]. The zero value is ready for use, by any
// number of calls at a time.
type Memory struct{ kept engine.Memory }

// Reuse makes a call take its working memory from m, and leave it there. That is
// of use where calls are frequent and small, of less than a thousand rows or so:
// to allocate the memory of 64 rows, and to collect it, takes a quarter of the
// time of verifying them. Accumulators and queues keep theirs anyway.
func Reuse(m *Memory) Option {
	return func(o *options) {
		if m != nil {
			o.memory = &m.kept
		}
	}
}

func gather(opts []Option) (o options) {
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}
