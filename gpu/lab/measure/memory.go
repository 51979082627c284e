package measure

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// entrySize is the number of bytes in a random read. It is the size of an affine point.
const entrySize = 64

// mix computes what the C function rate_mix in bench_rate.h does.
func mix(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// gathered returns the combination of all words that one work item reads in the given number of
// iterations, from a table of count entries.
func gathered(item uint32, turns int, count uint32) (all uint32) {
	at := item * uint32(rateTurn*turns)
	for t := range uint32(rateTurn * turns) {
		entry := uint32(uint64(mix(at+t)) * uint64(count) >> 32)
		for w := range uint32(entrySize / 4) {
			all ^= mix(entry*(entrySize/4) + w)
		}
	}
	return all
}

// gatherSizes returns the sizes in bytes of the memory for random reads: 32 MiB, 128 MiB and so on
// by factors of four, as long as they are below limit, and then limit itself.
func gatherSizes(limit int64) (sizes []int64) {
	for size := int64(32 << 20); size < limit; size *= 4 {
		sizes = append(sizes, size)
	}
	return append(sizes, limit)
}

// gatherMost returns the largest size in bytes of the memory for random reads.
func (b *bench) gatherMost() int64 {
	switch {
	case b.o.Gather > 0:
		return max(b.o.Gather, entrySize)
	case b.info.CPU:
		return 32 << 20
	}
	return min(10<<30, b.info.Memory/2)
}

// gathers measures random reads of 64 bytes from memory of increasing size. Multiplications of G
// with a large table read memory in this way.
func (b *bench) gathers(ctx context.Context) error {
	const id = "gather"
	if !b.o.wants(Memory, id) {
		return nil
	}
	for _, size := range gatherSizes(b.gatherMost()) {
		if !b.next(id, int(size)) {
			continue
		}
		if err := b.skip(id, int(size), b.gather(ctx, id, size)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) gather(ctx context.Context, id string, size int64) error {
	count := uint32(size / entrySize)
	n := b.items()
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	entries := h.alloc(int(count) * entrySize)
	if h.err != nil {
		return h.err
	}
	fill := func(q driver.Queue) error { return q.Launch("k_bench_fill", int(count), count, entries) }
	if _, err := b.launched(ctx, fill)(); err != nil {
		return err
	}
	args := []any{uint32(n), uint32(0), count, entries}
	row := Row{Section: Memory, ID: id, Title: "random reads of 64 bytes", Size: int(size), Unit: "op",
		Count: float64(n) * rateTurn}
	result := make([]byte, 4*n)
	return b.turns(ctx, h, row, "k_bench_gather", args, result, func(turns int) error {
		for _, i := range b.in.few(n) {
			want := gathered(uint32(i), turns, count)
			if got := binary.LittleEndian.Uint32(result[4*i:]); got != want {
				return fmt.Errorf("%w: item %d is %#x, not %#x", ErrResult, i, got, want)
			}
		}
		return nil
	})
}

// copies measures copies from the host to the device, from the device to the host, and within the
// device.
func (b *bench) copies(ctx context.Context) error {
	ids := slices.DeleteFunc([]string{"copy-in", "copy-out", "copy"},
		func(id string) bool { return !b.o.wants(Memory, id) })
	if len(ids) == 0 {
		return nil
	}
	size := 64 << 20
	if b.o.Items > 0 {
		size = 16 * b.o.Items
	} else if b.info.CPU {
		size = 4 << 20
	}
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	data := make([]byte, size)
	random := newInputs(b.o.Seed, 1).random("copies")
	_, _ = random.Read(data) // never fails
	from, to := h.write(ctx, data), h.write(ctx, poisoned(size))
	data, back := h.host(data), h.host(make([]byte, size))
	if h.err != nil {
		for _, id := range ids {
			b.rows--
			if err := b.skip(id, size, h.err); err != nil {
				return err
			}
		}
		return nil
	}
	same := func(buffer driver.Buffer) error {
		clear(back)
		if err := b.read(ctx, back, buffer); err != nil {
			return err
		}
		if string(back) != string(data) {
			return fmt.Errorf("%w: a copy differs", ErrResult)
		}
		return nil
	}
	const quad = 16
	for _, c := range []struct {
		id, title string
		count     int
		kernel    bool
		f         func(q driver.Queue) error
		check     driver.Buffer
	}{
		{"copy-in", "copy to the device", size, false,
			func(q driver.Queue) error { return q.Write(from, 0, data) }, from},
		{"copy-out", "copy from the device", size, false,
			func(q driver.Queue) error { return q.Read(back, from, 0) }, from},
		{"copy", "copy on the device, reads and writes counted", 2 * size, true,
			func(q driver.Queue) error {
				return q.Launch("k_bench_copy", size/quad, uint32(size/quad), from, to)
			}, to},
	} {
		if !slices.Contains(ids, c.id) || !b.next(c.id, size) {
			continue
		}
		row := Row{Section: Memory, ID: c.id, Title: c.title, Size: size, Count: float64(c.count),
			Unit: "B"}
		var err error
		if c.kernel {
			launched := b.launched(ctx, c.f)
			if _, err = launched(); err == nil { // the first launch is not timed
				row.Kernel, err = b.measured(ctx, to, size, launched)
			}
		} else {
			row.EndToEnd, err = b.repeat(ctx, clock(func() error {
				if err := c.f(b.plain); err != nil {
					return err
				}
				return b.plain.Wait(ctx)
			}))
		}
		if err == nil {
			err = same(c.check)
		}
		if err == nil {
			b.add(row)
		}
		if err := b.skip(c.id, size, err); err != nil {
			return err
		}
	}
	return nil
}
