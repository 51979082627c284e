package msm

import "runtime"

// An Option changes how a sum is computed.
type Option func(*options)

type options struct {
	workers int // below 1: as many as GOMAXPROCS says
}

// Workers lets n goroutines work at a time, the caller's among them. Without it,
// or if n is below 1, there are as many as runtime.GOMAXPROCS says. Small sums
// have fewer, and none has more than 64. Results do not depend on it.
func Workers(n int) Option { return func(o *options) { o.workers = n } }

func gather(opts []Option) (o options) {
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
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
