package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A slot is what one launch needs: a queue of its own, memory of the device for all columns
// and results of a launch, and as much memory of the host, from which and to which the
// device copies. While one slot's launch runs, another slot is filled.
type slot struct {
	queue    driver.Queue
	cols     [4]region
	verdicts region
	out      region

	busy bool // something has been enqueued, and no Wait has seen its end
	lo   int  // the first row of the launch
	n    int  // the rows of the launch, or 0 if the call has their verdicts

	// then, if it is not nil, is what follows when the slot is given back and the device is done
	// with it. The error is what went wrong since the call was over.
	then func(error)
}

// A region is one column, or results, on both sides.
type region struct {
	buffer driver.Buffer
	memory driver.HostMemory
	host   []byte // of memory
}

// rowBytes returns the bytes that a row takes in a slot, on either side.
func rowBytes() int {
	sum := 1 + device.KeySize
	for _, w := range widest() {
		sum += w
	}
	return sum
}

// newSlot returns a slot for launches of that many rows.
func newSlot(d driver.Device, rows int) (*slot, error) {
	s := new(slot)
	var err error
	if s.queue, err = d.NewQueue(); err != nil {
		return nil, err
	}
	widths := widest()
	for i, w := range append(widths[:], 1, device.KeySize) {
		r := s.regions()[i]
		if err := r.allocate(d, rows*w); err != nil {
			s.free()
			return nil, err
		}
	}
	return s, nil
}

// allocate sets r to so many bytes on both sides, or returns an error and sets what it has got.
func (r *region) allocate(d driver.Device, bytes int) error {
	buffer, err := d.Alloc(bytes)
	if err != nil {
		return err
	}
	r.buffer = buffer
	memory, err := d.AllocHost(bytes)
	if err != nil {
		return err
	}
	r.memory, r.host = memory, memory.Bytes()
	return nil
}

func (s *slot) regions() [6]*region {
	return [6]*region{&s.cols[0], &s.cols[1], &s.cols[2], &s.cols[3], &s.verdicts, &s.out}
}

// free gives everything back. It waits until the queue is empty.
func (s *slot) free() {
	s.queue.Close()
	for _, r := range s.regions() {
		if r.buffer != nil {
			r.buffer.Free()
		}
		if r.memory != nil {
			r.host = nil
			r.memory.Free()
		}
	}
}

// unwritten is what the verdicts of a launch are before it. A kernel that does not run, or
// not on all rows, leaves it there, and not the verdicts of the launch before.
const unwritten = 0xff

// errVerdict is in the tree of the errors that say that a device wrote what is no verdict.
var errVerdict = errors.New("the device wrote no verdict")

// write packs column number i of the rows from lo to hi, and enqueues its copy to the device.
func (s *slot) write(i int, c *device.Column, width, lo, hi int) error {
	packed := s.cols[i].host[:(hi-lo)*width]
	pack(packed, c, width, lo)
	return s.queue.Write(s.cols[i].buffer, 0, packed)
}

// submit enqueues the slot's rows of c. The slot is busy then, also if it returns an error.
// While one column is copied to the device, the next one is packed.
func (s *slot) submit(c *device.Call, p *program, table driver.Buffer) error {
	s.busy = true
	for i, width := range p.widths {
		if c.Columns[i].Data == nil {
			continue
		}
		if err := s.write(i, &c.Columns[i], width, s.lo, s.lo+s.n); err != nil {
			return err
		}
	}
	verdicts := s.verdicts.host[:s.n]
	fill(verdicts, unwritten)
	if err := s.queue.Write(s.verdicts.buffer, 0, verdicts); err != nil {
		return err
	}
	if err := s.queue.Launch(p.kernel, s.n, p.arguments(c, s.n, s, table)...); err != nil {
		return err
	}
	if p.out {
		if err := s.queue.Read(s.results(c), s.out.buffer, 0); err != nil {
			return err
		}
	}
	return s.queue.Read(verdicts, s.verdicts.buffer, 0)
}

// results returns the results of the launch, of a kind that has some.
func (s *slot) results(c *device.Call) []byte { return s.out.host[:s.n*c.Kind.ResultSize()] }

// collect waits for the launch and writes its verdicts and results to c. If it returns an error
// nothing is written; if that is the end of ctx, the slot is busy still.
func (s *slot) collect(ctx context.Context, c *device.Call, p *program) error {
	if err := s.queue.Wait(ctx); err != nil {
		return err
	}
	s.busy = false
	verdicts := s.verdicts.host[:s.n]
	none := func(v byte) bool { return v > byte(device.Malformed) }
	if i := slices.IndexFunc(verdicts, none); i >= 0 {
		return fmt.Errorf("%w: %s: %#x in row %d", errVerdict, p.kernel, verdicts[i], s.lo+i)
	}
	var out []byte
	if p.out {
		out = s.results(c)
	}
	unpack(c, s.lo, verdicts, out, c.Kind.ResultSize())
	s.n = 0
	return nil
}
