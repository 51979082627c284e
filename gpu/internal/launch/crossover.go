package launch

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

const (
	hostRows   = 512                    // rows of the call with which the host is timed
	budget     = 250 * time.Millisecond // time limit for measuring the device on one kind
	sumBudget  = 2 * budget             // the same for sums and equations, with the host's time
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
	var s *sample
	for _, k := range kinds {
		n := o.Crossover
		if n < 1 && o.Known != nil {
			n = o.Known[k]
		} else if n < 1 {
			var err error
			if s == nil {
				s, err = newSample(hostRows)
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
// see crossover and measureBoth. The host is timed with packages batch and msm and all its
// goroutines, on valid rows with different keys.
func (e *Engine) measure(ctx context.Context, s *sample, k device.Kind) (int, error) {
	if k == device.Sum || equationKinds[k] != 0 {
		first, call := driver.Group, func(n int) *device.Call { return s.call(k, n) }
		if k == device.Sum {
			points, err := s.points(ctx)
			if err != nil {
				return 0, err
			}
			first = 8 * driver.Group
			call = func(n int) *device.Call { return sumCall(s.scalars, points, n) }
		}
		return measureBoth(first, call,
			func(c *device.Call) error { return e.do(ctx, c) },
			func(c *device.Call) error { return cpu.Do(ctx, c, nil) })
	}
	call := s.call(k, hostRows)
	keys, err := cpu.Keys(call, hostTables)
	if err != nil {
		return 0, err
	}
	host, err := fastest(func() error { return cpu.DoWith(ctx, call, keys, nil) })
	if err != nil {
		return 0, err
	}
	return crossover(e.rows, host, func(n int) (time.Duration, error) {
		call := s.call(k, n)
		return fastest(func() error { return e.do(ctx, call) })
	})
}

// crossover returns the least number of rows for which the device is faster than the host. It tries
// driver.Group times each power of two, up to limit rows. If the device was not faster in any try,
// or if the tries took longer than budget, it returns 0, which leaves all calls to the host. host
// is the host's time for hostRows rows; dev returns the device's time for n rows.
func crossover(
	limit int, host time.Duration, dev func(n int) (time.Duration, error),
) (int, error) {
	spent := time.Duration(0)
	for n := driver.Group; n <= limit && spent < budget; n *= 2 {
		t, err := dev(n)
		if err != nil {
			return 0, err
		}
		if faster(t, host, n) {
			return n, nil
		}
		spent += attempts * t
	}
	return 0, nil
}

// faster reports whether a device that takes dev for n rows is faster than a host that takes host
// for hostRows rows. The device's time includes that of the rows which the host verifies again.
func faster(dev, host time.Duration, n int) bool {
	return dev.Seconds() < host.Seconds()/hostRows*float64(n-audited(n))
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

// measureBoth returns the least number of rows for which the device is faster than the host. It
// tries the number of rows smallest, and then twice as many each time. It returns 0 if the device
// was not faster within sumBudget, or if the device has no memory for more rows. The host's time
// per row falls with the number of rows, so both are timed with equal numbers of rows.
func measureBoth(
	smallest int, call func(n int) *device.Call, dev, host func(*device.Call) error,
) (int, error) {
	spent := time.Duration(0)
	for n := smallest; spent < sumBudget; n *= 2 {
		c := call(n)
		onDevice, err := fastest(func() error { return dev(c) })
		if errors.Is(err, driver.ErrMemory) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		onHost, err := fastest(func() error { return host(c) })
		if err != nil {
			return 0, err
		}
		if onDevice < onHost {
			return n, nil
		}
		spent += attempts * (onDevice + onHost)
	}
	return 0, nil
}
