package engine

import (
	"context"
	"maps"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

const (
	hostRows   = 512                    // of the call that the host is timed with
	budget     = 250 * time.Millisecond // for the device's part of one kind
	hostTables = 26 << 10               // bytes of the table of a prepared key
	attempts   = 3                      // of which the fastest counts
)

// Crossovers returns from how many rows on a call of each kind pays. A kind that is not there never
// does.
func (e *Engine) Crossovers() map[device.Kind]int { return maps.Clone(e.crossover) }

// setCrossover sets from how many rows on a call of each kind pays: those stated, those known, or
// as many as are measured.
func (e *Engine) setCrossover(
	ctx context.Context, stated int, known map[device.Kind]int,
) error {
	if stated < 1 && known != nil {
		e.crossover = maps.Clone(known)
		return nil
	}
	var s *sample
	for _, k := range kinds() {
		if stated > 0 {
			e.crossover[k] = stated
			continue
		}
		if s == nil {
			var err error
			if s, err = newSample(hostRows); err != nil {
				return err
			}
		}
		n, err := e.measure(ctx, s, k)
		if err != nil {
			return err
		}
		if n > 0 {
			e.crossover[k] = n
		}
	}
	return nil
}

// measure returns from how many rows on a call of a kind pays: see crossover. The host's time
// is that of package batch with all its goroutines, for good rows of different keys.
func (e *Engine) measure(ctx context.Context, s *sample, k device.Kind) (int, error) {
	call := s.call(k, hostRows)
	keys, err := cpu.Keys(call, hostTables)
	if err != nil {
		return 0, err
	}
	host, err := fastest(func() error { return cpu.DoWith(ctx, call, keys, nil) })
	if err != nil {
		return 0, err
	}
	p, _ := programOf(k)
	return crossover(e.rows, host, func(n int) (time.Duration, error) {
		call := s.call(k, n)
		return fastest(func() error { return e.run(ctx, call, &p) })
	})
}

// crossover returns the least number of rows for which the device is faster than the host, of
// those that are a group times powers of two and at most most; or 0, which says that no call
// pays, if there is none, or if those that were tried have used up the budget. host is the time
// for hostRows, dev measures that for n rows.
func crossover(
	most int, host time.Duration, dev func(n int) (time.Duration, error),
) (int, error) {
	spent := time.Duration(0)
	for n := driver.Group; n <= most && spent < budget; n *= 2 {
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

// faster reports whether a device that takes dev for n rows is faster than a host that takes
// host for hostRows, if the host does again what the core has it do.
func faster(dev, host time.Duration, n int) bool {
	return dev.Seconds() < host.Seconds()/hostRows*float64(n-audited(n))
}

// audited returns how many of n rows that a device calls Valid the core verifies again: see
// batch.Options.
func audited(n int) int { return min(n, max(64, (n+1023)/1024)) }

// fastest returns the time of the fastest attempt.
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
