package launch

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// The table of multiples of G has the largest windows that the following three limits allow. If
// these windows are larger than those of the host's table, the device computes its table; otherwise
// the host's table is copied to the device. Each additional bit saves a sixteenth of the additions
// and doubles the table.
const (
	// tableMost is the largest window size in bits. A multiplication then takes 16 additions. The
	// table of 32 MiB stays in the cache of 50 MB of the GPUs for which these kernels are tuned.
	// Larger windows need at least twice the memory for each addition saved, and the table is then
	// read from outside of the cache.
	tableMost = 16
	// The table takes at most 1/tableShare of the device's memory, and 1/tableLimit of the memory
	// that launches may use. A multiplication reads one point for each window, 1 KiB in total,
	// which is fast enough even if the table is not in a cache.
	tableShare = 256
	tableLimit = 4
)

// tableSample is the number of random points of a table that the host checks. The host also checks
// points of each step of each window.
const tableSample = 256

// setTable gives the device a table of multiples of G: the device computes it, or the host's table
// is copied.
func (e *Engine) setTable(ctx context.Context, host []byte, o Options) error {
	bits := o.TableBits
	switch {
	case bits == 0:
		bits = tableBits(e.dev.Info(), o.Memory)
		if bits == kernels.CombBits {
			return e.writeTable(ctx, host)
		}
	case bits < kernels.CombLeast || bits > kernels.CombMost:
		return fmt.Errorf("gpu: no table of %d bits", bits)
	}
	e.bits = bits
	err := e.makeTable(ctx, bits)
	if o.TableBits == 0 && errors.Is(err, driver.ErrMemory) {
		return e.writeTable(ctx, host)
	}
	return err
}

// tableBits returns the window size in bits of the table, for a device whose launches may use the
// given number of bytes.
func tableBits(info driver.Info, memory int64) int {
	memory = memoryLimit(memory)
	bits := kernels.CombBits
	for !info.CPU && bits < tableMost &&
		kernels.CombSize(bits+1) <= min(info.Memory/tableShare, memory/tableLimit) {
		bits++
	}
	return bits
}

// writeTable copies the host's table to the device.
func (e *Engine) writeTable(ctx context.Context, table []byte) error {
	e.bits = kernels.CombBits
	return e.fillTable(ctx, int64(len(table)), func(q driver.Queue) error {
		return q.Write(e.table, 0, table)
	})
}

// fillTable allocates the table and calls steps, which enqueue the commands that fill it and read
// it. It waits for the commands of each step before the next. If there is no memory for a command,
// it frees the table. After other errors the table is freed when the Engine is closed.
func (e *Engine) fillTable(
	ctx context.Context, size int64, steps ...func(driver.Queue) error,
) error {
	if size > math.MaxInt {
		return fmt.Errorf("%w: a table of %d bytes", driver.ErrMemory, size)
	}
	s, err := e.take(ctx)
	if err != nil {
		return err
	}
	defer e.put(s)
	table, err := e.dev.Alloc(int(size))
	if err != nil {
		return err
	}
	e.table = table
	for i := 0; err == nil && i < len(steps); i++ {
		err = e.carryOut(ctx, s, steps[i])
	}
	if !s.busy && errors.Is(err, driver.ErrMemory) {
		e.table = nil
		table.Free()
	}
	return err
}

// makeTable has the device compute a table, and compares some of its points with points that the
// host computes. The device computes the table in steps, in the order in which the steps are
// enqueued.
func (e *Engine) makeTable(ctx context.Context, bits int) error {
	start, points := kernels.CombStart(bits), tablePoints(bits)
	got := make([]byte, kernels.CombPoint*len(points))
	err := e.fillTable(ctx, kernels.CombSize(bits), func(q driver.Queue) error {
		err := q.Write(e.table, 0, start)
		for i := 0; err == nil && i < kernels.CombWindows(bits); i++ {
			err = q.Write(e.table, int(kernels.CombOffset(bits, i, 0)),
				kernels.CombPower(start, bits*i))
		}
		for step := 0; err == nil && step < bits-1; step++ {
			n := kernels.CombRows(bits, step)
			err = q.Launch("k_comb", n, uint32(n), uint32(step), e.table)
		}
		return err
	}, func(q driver.Queue) (err error) {
		for i := 0; err == nil && i < len(points); i++ {
			err = q.Read(got[kernels.CombPoint*i:][:kernels.CombPoint], e.table,
				int(kernels.CombOffset(bits, points[i].window, points[i].j)))
		}
		return err
	})
	if err != nil {
		return err
	}
	return compareTable(bits, points, got)
}

// compareTable compares points of a table with those that the host computes. got holds the device's
// points one after another.
func compareTable(bits int, points []tablePoint, got []byte) error {
	multiples := make([]group.Point, len(points))
	for i, p := range points {
		k := power2(bits * p.window)
		k.Mul(k, new(group.Scalar).SetUint64(uint64(2*p.j+1)))
		multiples[i].ScalarBaseMultVartime(k)
	}
	want := kernels.AppendPoints(nil, multiples)
	for i, p := range points {
		at := kernels.CombPoint * i
		if !bytes.Equal(got[at:][:kernels.CombPoint], want[at:][:kernels.CombPoint]) {
			return fmt.Errorf("%w: k_comb: point %d of window %d of %d bits", ErrAnswer, p.j, p.window,
				bits)
		}
	}
	return nil
}

// A tablePoint is a point of a table: (2·j + 1)·2^(bits·window)·G.
type tablePoint struct{ window, j int }

// tablePoints returns the points of a table that the host checks. For each window these are the
// first point, the last point, and, for each step, a random one of the points that the step
// computes. In addition there are tableSample random points.
func tablePoints(bits int) (list []tablePoint) {
	windows := kernels.CombWindows(bits)
	for i := range windows {
		entries := kernels.CombEntries(bits, i)
		list = append(list, tablePoint{i, 0}, tablePoint{i, entries - 1})
		for made := 1; made < entries; made *= 2 {
			list = append(list, tablePoint{i, made + random(made)})
		}
	}
	for range tableSample {
		i := random(1<<16) % windows
		list = append(list, tablePoint{i, random(kernels.CombEntries(bits, i))})
	}
	return list
}

// random returns a random number below n, a power of two.
func random(n int) int {
	var b [8]byte
	rand.Read(b[:])
	return int(binary.LittleEndian.Uint64(b[:]) % uint64(n))
}
