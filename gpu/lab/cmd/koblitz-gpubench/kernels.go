package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A kernel is an operation that a kernel of the program of benchmarks carries out. The kernel's
// arguments are the number of work items, the columns, and the memory for the results. Columns and
// results consist of words of 32 bits: word w of row i of n is at w·n + i.
type kernel struct {
	name    string
	entry   string   // name in the program
	columns []column // operands
	words   int      // words of the result of a row
	loop    bool     // the second argument is the number of iterations, of opsTurn operations each
	// right reports whether got, the result of row i of n, is what the CPU computes.
	right func(in *inputs, i, n, turns int, got []uint32) bool
}

// A column is an operand: at writes the words of row i to dst.
type column struct {
	words int
	at    func(in *inputs, i int, dst []uint32)
}

// data returns the column's words of n rows.
func (c *column) data(ctx context.Context, in *inputs, n int) ([]byte, error) {
	if c.at == nil {
		return kernels.Comb(), nil
	}
	data := make([]byte, 4*c.words*n)
	return data, parallel(ctx, n, func(lo, hi int) {
		row := make([]uint32, c.words)
		for i := lo; i < hi; i++ {
			c.at(in, i, row)
			for w, word := range row {
				binary.LittleEndian.PutUint32(data[4*(w*n+i):], word)
			}
		}
	})
}

// kernels measures the kernels of the program of benchmarks.
func (b *bench) kernels(ctx context.Context, list []kernel) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.begin("opening the device")
	dev, err := b.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	b.begin("compiling benchmarks")
	if err := dev.Load(kernels.Bench()); err != nil {
		return err
	}
	queue, err := dev.NewQueue(true)
	if err != nil {
		return err
	}
	defer queue.Close()
	for _, k := range list {
		err := b.operation(ctx, k.name, func(limit time.Duration) (Operation, error) {
			return b.kernel(ctx, &k, dev, queue, limit)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Results are overwritten with the byte poison before the timed launches. mostTurns limits the
// iterations of a loop, which the CPU repeats.
const poison, mostTurns = 0xa5, 1 << 16

// kernel measures a kernel.
func (b *bench) kernel(
	ctx context.Context, k *kernel, dev driver.Device, queue driver.Queue, limit time.Duration,
) (o Operation, err error) {
	n, turns := b.rows, 1
	if k.words > 8 { // the CPU takes a second for the coordinates of so many points
		n = min(n, 1<<18)
	}
	if k.loop { // several times the work items that run at once
		n = min(n, 2048*max(dev.Info().Units, 1))
	}
	items, args := n, []any{uint32(n)}
	switch {
	case k.loop:
		args = append(args, uint32(turns))
	case k.entry == "k_bench_inv_batch": // a work item has several rows
		items = (n + 127) / 128
		args = []any{uint32(items), uint32(n)}
	}
	var buffers []driver.Buffer
	defer func() {
		_ = queue.Wait(context.Background()) // launches may go on after the end of ctx
		for _, buffer := range buffers {
			buffer.Free()
		}
	}()
	// add makes an argument of data in device memory, unless err is set.
	add := func(data []byte, err error) error {
		var buffer driver.Buffer
		if err == nil {
			buffer, err = dev.Alloc(len(data))
		}
		if err != nil {
			return err
		}
		buffers, args = append(buffers, buffer), append(args, buffer)
		return errors.Join(queue.Write(buffer, 0, data), queue.Wait(ctx))
	}
	for _, c := range k.columns {
		if err := add(c.data(ctx, b.in, n)); err != nil {
			return o, err
		}
	}
	result := slices.Repeat([]byte{poison}, 4*k.words*n)
	if err := add(result, nil); err != nil {
		return o, err
	}
	launch := func() (time.Duration, error) {
		if k.loop {
			args[1] = uint32(turns)
		}
		if err := queue.Launch(k.entry, items, args...); err != nil {
			return 0, err
		}
		if err := queue.Wait(ctx); err != nil {
			return 0, err
		}
		return queue.Times()[0], nil
	}
	t, err := launch() // the first launch is not timed
	for want := min(limit/16, 20*time.Millisecond); err == nil && k.loop && t < want/2 &&
		turns < mostTurns; t, err = launch() {
		// The time of a short launch does not say how long a longer one takes.
		grow := min(8, float64(want)/float64(max(t, 1)))
		turns = min(int(float64(turns)*grow)+1, mostTurns)
	}
	out := buffers[len(buffers)-1]
	if err = errors.Join(err, queue.Write(out, 0, result), queue.Wait(ctx)); err != nil {
		return o, err
	}
	o = Operation{Size: n, Count: float64(n)}
	if k.loop {
		o.Count *= opsTurn * float64(turns)
	}
	if o.Time, err = repeat(ctx, limit/2, launch); err != nil {
		return o, err
	}
	if err := errors.Join(queue.Read(result, out, 0), queue.Wait(ctx)); err != nil {
		return o, err
	}
	return o, k.verify(ctx, b.in, n, turns, result)
}

// verify compares the results of n rows with the CPU's.
func (k *kernel) verify(ctx context.Context, in *inputs, n, turns int, result []byte) error {
	word := func(w, i int) uint32 { return binary.LittleEndian.Uint32(result[4*(w*n+i):]) }
	most := 512
	if k.loop { // an iteration takes the CPU longer than the device
		most = 8
	}
	got := make([]uint32, k.words)
	for _, i := range in.sample(n, most) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for w := range got {
			got[w] = word(w, i)
		}
		if !k.right(in, i, n, turns, got) {
			return fmt.Errorf("%w: row %d of %d", errResult, i, n)
		}
	}
	const empty = poison * 0x01010101
	for i := range n {
		if word(0, i) == empty && word(k.words-1, i) == empty {
			return fmt.Errorf("%w: row %d of %d was not written", errResult, i, n)
		}
	}
	return nil
}
