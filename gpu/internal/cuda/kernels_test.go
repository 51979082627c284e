package cuda_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// table returns the table of multiples of G, computed once.
var table = sync.OnceValue(kernels.Comb)

// programs describes, for each kind of call, the kernel and the kernel's arguments.
var programs = map[device.Kind]struct {
	name                string
	cols                int
	flags, out, useBase bool
}{
	device.ECDSA:      {"k_ecdsa", 4, true, false, true},
	device.Schnorr:    {"k_schnorr", 3, true, false, true},
	device.Recover:    {"k_recover", 2, true, true, true},
	device.Decompress: {"k_decompress", 1, false, true, false},
	device.PublicKeys: {"k_pubkeys", 1, false, true, true},

	device.RecoverAddress: {"k_recover", 2, true, true, true},

	device.PreparedECDSA:   {"k_prepared_ecdsa", 3, true, false, true},
	device.PreparedSchnorr: {"k_prepared_schnorr", 3, true, false, true},
}

// makeTables enqueues the launches that make a table of multiples of each key, with windows of the
// smallest size.
func makeTables(q driver.Queue, count int, keys any, tables driver.Buffer) error {
	const bits = kernels.CombLeast
	err := q.Launch("k_keys", count, uint32(count), uint32(bits), keys, tables)
	for step := 0; err == nil && step < bits-1; step++ {
		each := kernels.CombRows(bits, step)
		err = q.Launch("k_keys_comb", each*count, uint32(each*count), uint32(step), uint32(each), tables)
	}
	return err
}

// do carries out a call on d. The columns of the call must hold their values without gaps.
func do(d driver.Device, c *device.Call) (err error) {
	var args []any
	var buffers []driver.Buffer
	defer func() {
		for _, b := range buffers {
			b.Free()
		}
	}()
	// Deferred calls run in reverse order, so the queue is closed before its memory is freed.
	q, err := d.NewQueue()
	if err != nil {
		return err
	}
	defer q.Close()
	alloc := func(bytes int) (b driver.Buffer) {
		if err == nil {
			b, err = d.Alloc(bytes)
		}
		if err == nil {
			buffers = append(buffers, b)
		}
		return b
	}
	write := func(data []byte) any {
		b := alloc(len(data))
		if err == nil {
			err = q.Write(b, 0, data)
		}
		return b
	}
	p := programs[c.Kind]
	args = append(args, uint32(c.Rows))
	if p.flags {
		args = append(args, kernels.Flags(c))
	}
	for _, col := range c.Columns[:p.cols] {
		if col.Data == nil {
			args = append(args, nil)
		} else {
			args = append(args, write(col.Data))
		}
	}
	verdicts := make([]byte, c.Rows)
	from, out := alloc(c.Rows), driver.Buffer(nil)
	args = append(args, from)
	if p.out {
		out = alloc(len(c.Results))
		args = append(args, out)
	}
	if p.useBase {
		args = append(args, write(table()))
	}
	if c.Keys != nil {
		count := len(c.Keys) / device.PointSize
		keys, tables := write(c.Keys), alloc(int(kernels.CombSize(kernels.CombLeast))*count)
		if err == nil {
			err = makeTables(q, count, keys, tables)
		}
		args = append(args, tables, uint32(count))
	}
	if err != nil {
		return err
	}
	if err := q.Launch(p.name, c.Rows, args...); err != nil {
		return err
	}
	if err := q.Read(verdicts, from, 0); err != nil {
		return err
	}
	if out != nil {
		if err := q.Read(c.Results, out, 0); err != nil {
			return err
		}
	}
	if err := q.Wait(context.Background()); err != nil {
		return err
	}
	for i, v := range verdicts {
		c.Verdicts[i] = device.Verdict(v)
	}
	return nil
}

// TestKernels checks that the committed PTX gives the right verdicts and results for rows of every
// kind. With KOBLITZ_DEEP=every it runs ten times as many rows.
func TestKernels(t *testing.T) {
	size := 1
	if os.Getenv("KOBLITZ_DEEP") == "every" {
		size = 10
	}
	for i, s := range hostile.Sets(size) {
		if s.Keys != nil {
			continue // tests of the engine run the prepared kinds, with the tables that they need
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			fake := cudatest.New()
			d, err := openWith(fake, kernels.Rows().PTX)
			if err != nil {
				t.Fatal(err)
			}
			c := s.Call()
			if err := do(d, c); err != nil {
				t.Error(err)
			} else if err := s.Check(c); err != nil {
				t.Error(err)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if err := fake.Err(); err != nil {
				t.Error(err)
			}
			if err := fake.Leaks(); err != nil {
				t.Error(err)
			}
			t.Logf("%d rows, %d instructions", len(s.Rows), fake.Instructions())
		})
	}
}
