package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A bench is what the sections measure with.
type bench struct {
	report *Report
	o      *Options
	info   driver.Info
	open   func() (driver.Device, error)
	in     *inputs

	wrong error // of rows whose results were not those of the CPU

	// In sections of kernels, the device with the program of benchmarks, a queue that times
	// launches, and one that does not.
	dev   driver.Device
	timed driver.TimedQueue
	plain driver.Queue
}

// Runs of a row: as many as there is time for, but so many at least and at most.
const (
	leastRuns = 3
	mostRuns  = 25
	// patience is how many times its time a row may take if nothing else is possible.
	patience = 10
)

// spread sorts the times of runs.
func spread(times []time.Duration) (s Spread) {
	if len(times) == 0 {
		return s
	}
	slices.Sort(times)
	n := len(times)
	median := (times[(n-1)/2] + times[n/2]) / 2
	return Spread{median.Seconds(), times[0].Seconds(), times[n-1].Seconds(), n}
}

// repeat runs f, which returns a time, again and again.
func (b *bench) repeat(ctx context.Context, f func() (time.Duration, error)) (Spread, error) {
	var times []time.Duration
	begin := time.Now()
	for len(times) < mostRuns && (len(times) < leastRuns || time.Since(begin) < b.o.Time/2) {
		if err := ctx.Err(); err != nil {
			return Spread{}, err
		}
		t, err := f()
		if err != nil {
			return Spread{}, err
		}
		times = append(times, t)
		if time.Since(begin) > patience*b.o.Time {
			break
		}
	}
	return spread(times), nil
}

// measured is repeat for runs that leave results in out, of a size. What is there before is poison,
// so that results that are right afterwards are those of these runs.
func (b *bench) measured(
	ctx context.Context, out driver.Buffer, size int, f func() (time.Duration, error),
) (Spread, error) {
	err := b.plain.Write(out, 0, poisoned(size))
	if err == nil {
		err = b.plain.Wait(ctx)
	}
	if err != nil {
		return Spread{}, err
	}
	return b.repeat(ctx, f)
}

// clock returns f with the time that it takes by the host's clock.
func clock(f func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		begin := time.Now()
		err := f()
		return time.Since(begin), err
	}
}

// launched returns a function that launches, waits, and returns the time by the device's clock.
func (b *bench) launched(
	ctx context.Context, launch func(driver.Queue) error,
) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		if err := launch(b.timed); err != nil {
			return 0, err
		}
		if err := b.timed.Wait(ctx); err != nil {
			return 0, err
		}
		sum := time.Duration(0)
		for _, t := range b.timed.Times() {
			sum += t
		}
		return sum, nil
	}
}

// add adds a row to the report.
func (b *bench) add(r Row) {
	b.report.Rows = append(b.report.Rows, r)
	b.o.Tell(r)
}

// leave notes that a row was left out.
func (b *bench) leave(id string, size int, format string, args ...any) {
	b.report.LeftOut = append(b.report.LeftOut,
		LeftOut{id, size, fmt.Sprintf(format, args...)})
}

// settle notes an error that is about one row alone, which is left out, and returns all others.
func (b *bench) settle(id string, size int, err error) error {
	switch {
	case errors.Is(err, ErrResult):
		b.wrong = errors.Join(b.wrong, fmt.Errorf("%s, size %d: %w", id, size, err))
	case errors.Is(err, driver.ErrMemory):
	case err != nil:
		return fmt.Errorf("%s, size %d: %w", id, size, err)
	default:
		return nil
	}
	b.leave(id, size, "%v", err)
	return nil
}

// tooLong reports whether a row that took t for a part of its work would take too long for all,
// which is so many times as much, and notes it then.
func (b *bench) tooLong(id string, size int, t time.Duration, times float64) bool {
	expected := time.Duration(float64(t) * times)
	if expected <= patience*b.o.Time/leastRuns {
		return false
	}
	b.leave(id, size, "a run would take some %v, and a row should take %v",
		expected.Round(time.Millisecond), b.o.Time)
	return true
}

// A hold is memory of the device that is given back together. The first error stays.
type hold struct {
	dev     driver.Device
	queue   driver.Queue
	buffers []driver.Buffer
	pinned  []driver.HostMemory
	err     error
}

func (b *bench) hold() *hold { return &hold{dev: b.dev, queue: b.plain} }

// alloc returns memory of a size.
func (h *hold) alloc(bytes int) driver.Buffer {
	if h.err != nil {
		return nil
	}
	buffer, err := h.dev.Alloc(bytes)
	if err != nil {
		h.err = err
		return nil
	}
	h.buffers = append(h.buffers, buffer)
	return buffer
}

// write returns memory that holds data.
func (h *hold) write(ctx context.Context, data []byte) driver.Buffer {
	buffer := h.alloc(len(data))
	if h.err == nil {
		h.err = h.queue.Write(buffer, 0, data)
	}
	if h.err == nil {
		h.err = h.queue.Wait(ctx)
	}
	return buffer
}

// host returns memory of the host with the contents of data: such as the device copies from and to
// by itself, or, if there is too little of it, data.
func (h *hold) host(data []byte) []byte {
	if h.err != nil {
		return data
	}
	m, err := h.dev.AllocHost(len(data))
	if err != nil {
		if !errors.Is(err, driver.ErrMemory) {
			h.err = err
		}
		return data
	}
	h.pinned = append(h.pinned, m)
	copy(m.Bytes(), data)
	return m.Bytes()
}

// free gives everything back, after what still works on it.
func (h *hold) free(queues ...driver.Queue) {
	for _, q := range queues {
		_ = q.Wait(context.Background())
	}
	for _, buffer := range h.buffers {
		buffer.Free()
	}
	for _, m := range h.pinned {
		m.Free()
	}
	h.buffers, h.pinned = nil, nil
}

// read fills data from a buffer.
func (b *bench) read(ctx context.Context, data []byte, from driver.Buffer) error {
	if err := b.plain.Read(data, from, 0); err != nil {
		return err
	}
	return b.plain.Wait(ctx)
}

// ErrResult is in the tree of the error that says that a device computed something else than the
// CPU.
var ErrResult = errors.New("measure: the device computes something else than the CPU")

// poison is what results are before a launch. No element, and no number that is computed here, is
// expected to have that value in every byte.
const poison = 0xa5

// poisoned returns n bytes of poison.
func poisoned(n int) []byte { return slices.Repeat([]byte{poison}, n) }
