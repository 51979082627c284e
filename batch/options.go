package batch

// An Option changes how rows are verified. An option that means nothing to a
// call has no effect.
type Option func(*options)

type options struct {
	workers int // below 1: as many as GOMAXPROCS says
	lowS    bool
}

// Workers lets n goroutines work at a time, the caller's among them. Without it,
// or if n is below 1, there are as many as runtime.GOMAXPROCS says. Small calls
// have fewer. Verdicts do not depend on it.
func Workers(n int) Option { return func(o *options) { o.workers = n } }

// LowS makes ECDSA signatures with s above n/2 invalid, as in
// [ecdsa.VerifyLowS]; in recovery, no key comes out of them.
func LowS() Option { return func(o *options) { o.lowS = true } }

func gather(opts []Option) (o options) {
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return o
}
