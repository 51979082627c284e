package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/launch"
)

// A bench holds what all sections of the report use: the options, the inputs, the device and the
// report.
type bench struct {
	mu     sync.Mutex // is locked for writing to the report and the field wrong, and for o.Tell
	report *Report
	o      *Options
	info   driver.Info
	open   func() (driver.Device, error)
	in     *inputs

	wrong error // joined errors of rows with results other than the CPU's

	time   time.Duration // time for the present row: see next
	until  time.Time     // no row begins after this time, if it is not zero
	rows   int           // number of rows that are not measured or left out yet
	signed *signed       // made when first needed

	// The device for all sections but the first, a queue that times launches, and a queue that does
	// not.
	dev   driver.Timed
	timed driver.TimedQueue
	plain driver.Queue
}

// These limit how often an operation is run for one row of the report. Between the two limits, the
// time that the runs take decides.
const (
	leastRuns = 3
	mostRuns  = 25
	// patience is the factor by which a row of the report may exceed its time limit. A row exceeds
	// the limit if leastRuns runs take longer.
	patience = 10
)

// next reports whether there is time for a row, and sets how long the row may take. It records that
// a row is left out.
func (b *bench) next(id string, size int) bool {
	b.time = b.o.Time
	rows := max(b.rows, 1)
	b.rows--
	if b.until.IsZero() {
		return true
	}
	left := time.Until(b.until)
	if left <= 0 {
		b.leave(id, size, "the time for all rows, %v, is over", b.o.Budget)
		return false
	}
	b.time = min(b.time, left/time.Duration(rows))
	return true
}

// spread returns the median, the lowest and the highest of the given times.
func spread(times []time.Duration) (s Spread) {
	if len(times) == 0 {
		return s
	}
	slices.Sort(times)
	n := len(times)
	median := (times[(n-1)/2] + times[n/2]) / 2
	return Spread{median.Seconds(), times[0].Seconds(), times[n-1].Seconds(), n}
}

// repeat runs f several times, and returns the spread of the times that f returns.
func (b *bench) repeat(ctx context.Context, f func() (time.Duration, error)) (Spread, error) {
	var times []time.Duration
	begin := time.Now()
	for len(times) < mostRuns && (len(times) < leastRuns || time.Since(begin) < b.time/2) {
		if err := ctx.Err(); err != nil {
			return Spread{}, err
		}
		t, err := f()
		if err != nil {
			return Spread{}, err
		}
		times = append(times, t)
		if time.Since(begin) > patience*b.time {
			break
		}
	}
	return spread(times), nil
}

// measured does the work of repeat for a function that writes size bytes of results to dst. It
// fills dst with the byte poison first, so that right results afterwards must come from the timed
// runs.
func (b *bench) measured(
	ctx context.Context, dst driver.Buffer, size int, f func() (time.Duration, error),
) (Spread, error) {
	err := b.plain.Write(dst, 0, poisoned(size))
	if err == nil {
		err = b.plain.Wait(ctx)
	}
	if err != nil {
		return Spread{}, err
	}
	return b.repeat(ctx, f)
}

// clock returns a function that runs f and returns how long it took by the host's clock.
func clock(f func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		begin := time.Now()
		err := f()
		return time.Since(begin), err
	}
}

// launched returns a function that runs launch, waits for the device, and returns the duration of
// the launches by the device's clock.
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

// record changes the report by f.
func (b *bench) record(f func(r *Report)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(b.report)
}

// add adds a row to the report, and passes it to the Tell function of the options.
func (b *bench) add(row Row) {
	b.record(func(r *Report) {
		r.Rows = append(r.Rows, row)
		b.o.Tell(row)
	})
}

// leave records in the report that a row was left out, and why.
func (b *bench) leave(id string, size int, format string, args ...any) {
	left := LeftOut{id, size, fmt.Sprintf(format, args...)}
	b.record(func(r *Report) { r.LeftOut = append(r.LeftOut, left) })
}

// skip records an error that affects only one row, notes that the row is left out, and returns
// nil. It returns all other errors.
func (b *bench) skip(id string, size int, err error) error {
	switch {
	case lost(err):
		return fmt.Errorf("%s, size %d: %w", id, size, err)
	case errors.Is(err, ErrResult):
		b.record(func(*Report) {
			b.wrong = errors.Join(b.wrong, fmt.Errorf("%s, size %d: %w", id, size, err))
		})
	case errors.Is(err, driver.ErrMemory):
	case err != nil:
		return fmt.Errorf("%s, size %d: %w", id, size, err)
	default:
		return nil
	}
	b.leave(id, size, "%v", err)
	return nil
}

// lost reports whether an error says that the device carries out no more calls.
func lost(err error) bool {
	return errors.Is(err, driver.ErrLost) || errors.Is(err, launch.ErrLost)
}

// tooLong estimates how long a row of the report would take: t, the time that a part of its work
// took, multiplied by the parameter times. If that is too long, tooLong returns true and records
// that the row is left out.
func (b *bench) tooLong(id string, size int, t time.Duration, times float64) bool {
	expected := time.Duration(float64(t) * times)
	if expected <= patience*b.time/leastRuns {
		return false
	}
	b.leave(id, size, "a run would take some %v, and a row should take %v",
		expected.Round(time.Millisecond), b.time.Round(time.Millisecond))
	return true
}

// sizes measures the row of the report with the given ID for the given numbers of rows, each by one
// call of f. It leaves out numbers that would take too long.
func (b *bench) sizes(id string, sizes []int, f func(n int) (Row, error)) error {
	last, before := time.Duration(0), 0
	for _, n := range sizes {
		if !b.next(id, n) || before > 0 && b.tooLong(id, n, last, float64(n)/float64(before)) {
			continue
		}
		row, err := f(n)
		if err != nil {
			if err = b.skip(id, n, err); err != nil {
				return err
			}
			continue
		}
		b.add(row)
		last, before = time.Duration(row.EndToEnd.Median*float64(time.Second)), n
	}
	return nil
}

// A hold owns allocations of device memory that are freed together. It keeps the first error.
type hold struct {
	dev     driver.Device
	queue   driver.Queue
	buffers []driver.Buffer
	pinned  []driver.HostMemory
	err     error
}

func (b *bench) hold() *hold { return &hold{dev: b.dev, queue: b.plain} }

// alloc allocates the given number of bytes.
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

// write allocates device memory and copies data to it.
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

// host returns pinned host memory that holds a copy of data, or data itself if there is too little
// pinned memory.
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

// free waits for the given queues, and then frees all memory of the hold. It does not return while
// a kernel hangs; see within.
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

// read copies the contents of a buffer to data.
func (b *bench) read(ctx context.Context, data []byte, from driver.Buffer) error {
	if err := b.plain.Read(data, from, 0); err != nil {
		return err
	}
	return b.plain.Wait(ctx)
}

// ErrResult is wrapped by errors which say that a result of a device differs from the CPU's.
var ErrResult = errors.New("measure: the device computes something else than the CPU")

// poison is the value of the bytes that fill results before a launch. No right result consists of
// this byte only.
const poison = 0xa5

// poisoned returns n bytes of poison.
func poisoned(n int) []byte { return slices.Repeat([]byte{poison}, n) }
