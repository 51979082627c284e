package launch

import (
	"context"
	"errors"
	"maps"
	"math"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

const (
	sampleRows = 512                    // different rows of the calls with which devices are timed
	budget     = 500 * time.Millisecond // time limit for measuring one kind
	hostTables = 26 << 10               // bytes of the host's table of a prepared key
	attempts   = 3                      // number of timings; the shortest counts
)

// Crossovers returns, for each kind of call, the least number of rows for which the device is
// faster than the host. For a kind without an entry, the host is always faster.
func (e *Engine) Crossovers() map[device.Kind]int { return maps.Clone(e.crossover) }

// setCrossover sets, for each of the given kinds, the least number of rows for which the device is
// faster than the host: o.Crossover if it is set, otherwise the number in o.Known if that map is
// set, otherwise a measured number.
func (e *Engine) setCrossover(ctx context.Context, kinds []device.Kind, o *Options) error {
	var s *Sample
	for _, k := range kinds {
		n := o.Crossover
		if n < 1 && o.Known != nil {
			n = o.Known[k]
		} else if n < 1 {
			var err error
			if s == nil {
				s, err = NewSample(ctx, sampleRows)
			}
			if err == nil {
				n, err = e.measure(ctx, s, k)
			}
			if err != nil {
				return err
			}
		}
		if n > 0 {
			e.crossover[k] = n
		}
	}
	return nil
}

// measure returns the least number of rows for which the device is faster than the host on a kind:
// see crossover. The host is timed with packages batch and msm and all its goroutines, on valid
// rows with different keys.
func (e *Engine) measure(ctx context.Context, s *Sample, k device.Kind) (int, error) {
	first, most, again := driver.Group, e.rows, audited
	if _, rows := programOf(k); !rows { // the call has one verdict, which the host does not verify
		most, again = math.MaxInt/2, func(int) int { return 0 }
	}
	if k == device.Sum {
		first = 8 * driver.Group
	}
	keys, err := cpu.Keys(s.Call(k, 1), hostTables)
	if err != nil {
		return 0, err
	}
	return crossover(first, most, again, func(n int) (dev, host time.Duration, err error) {
		c := s.Call(k, n)
		if dev, err = fastest(func() error { return e.do(ctx, c) }); err != nil {
			return 0, 0, err
		}
		host, err = fastest(func() error { return cpu.DoWith(ctx, c, keys, nil) })
		return dev, host, err
	})
}

// crossover returns the least number of rows for which the device is faster than the host. It tries
// the number of rows first, and then twice as many each time, at most the number most. If the
// device was not faster in any try, if the tries took longer than budget, or if the device has no
// memory for more rows, it returns 0, which leaves all calls to the host. The function both returns
// the times of the device and of the host for n rows. To the device's time it adds that of the rows
// that the host verifies again; the function again returns their number.
func crossover(
	first, most int, again func(n int) int, both func(n int) (dev, host time.Duration, err error),
) (int, error) {
	spent := time.Duration(0)
	for n := first; n <= most && spent < budget; n *= 2 {
		dev, host, err := both(n)
		if errors.Is(err, driver.ErrMemory) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if dev.Seconds() < host.Seconds()*float64(n-again(n))/float64(n) {
			return n, nil
		}
		spent += attempts * (dev + host)
	}
	return 0, nil
}

// audited returns how many rows package batch verifies again on the host after a device has called
// n rows Valid: see batch.Options.
func audited(n int) int { return min(n, max(64, (n+1023)/1024)) }

// fastest runs f several times and returns the shortest duration.
func fastest(f func() error) (best time.Duration, err error) {
	for i := range attempts {
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if t := time.Since(begin); i == 0 || t < best {
			best = t
		}
	}
	return best, nil
}
