package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/internal/device"
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
	n    int  // the rows of the launch
}

// A region is one column, or results, on both sides.
type region struct {
	buffer driver.Buffer
	host   []byte
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
		if r.buffer, err = d.Alloc(rows * w); err != nil {
			r.buffer = nil
			s.free()
			return nil, err
		}
		r.host = make([]byte, rows*w)
	}
	return s, nil
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
	}
}

// unwritten is what the verdicts of a launch are before it. A kernel that does not run, or
// not on all rows, leaves it there, and not the verdicts of the launch before.
const unwritten = 0xff

// errVerdict is in the tree of the errors that say that a device wrote what is no verdict.
var errVerdict = errors.New("the device wrote no verdict")

// submit enqueues the rows of c from lo to hi. The slot is busy then, also if it returns an
// error.
func (s *slot) submit(c *device.Call, p *program, lo, hi int, table driver.Buffer) error {
	s.busy, s.lo, s.n = true, lo, hi-lo
	for i, width := range p.widths {
		if c.Cols[i].Data == nil {
			continue
		}
		r := &s.cols[i]
		packed := r.host[:s.n*width]
		pack(packed, &c.Cols[i], width, lo)
		if err := s.queue.Write(r.buffer, 0, packed); err != nil {
			return err
		}
	}
	verdicts := s.verdicts.host[:s.n]
	for i := range verdicts {
		verdicts[i] = unwritten
	}
	if err := s.queue.Write(s.verdicts.buffer, 0, verdicts); err != nil {
		return err
	}
	if err := s.queue.Launch(p.kernel, s.n, p.arguments(c, s.n, s, table)...); err != nil {
		return err
	}
	if p.out {
		if err := s.queue.Read(s.out.host[:s.n*c.Kind.ResultSize()], s.out.buffer, 0); err != nil {
			return err
		}
	}
	return s.queue.Read(verdicts, s.verdicts.buffer, 0)
}

// pack copies values of a column from row lo on to dst, one after the other.
func pack(dst []byte, c *device.Column, width, lo int) {
	if c.Stride == width {
		copy(dst, c.Data[lo*width:])
		return
	}
	for at := lo * c.Stride; len(dst) > 0; at += c.Stride {
		copy(dst[:width], c.Data[at:])
		dst = dst[width:]
	}
}

// collect waits for the launch and writes its verdicts and results to c. If ctx ends first
// nothing is written, and the slot is busy still.
func (s *slot) collect(ctx context.Context, c *device.Call, p *program) error {
	if err := s.queue.Wait(ctx); err != nil {
		return err
	}
	s.busy = false
	for i, v := range s.verdicts.host[:s.n] {
		if v > byte(device.Malformed) {
			return fmt.Errorf("%w: %s: %#x in row %d", errVerdict, p.kernel, v, s.lo+i)
		}
	}
	size := c.Kind.ResultSize()
	for i, v := range s.verdicts.host[:s.n] {
		c.Verdicts[s.lo+i] = device.Verdict(v)
		if !p.out {
			continue
		}
		out := c.Out[(s.lo+i)*size:][:size]
		if device.Verdict(v) == device.Valid {
			copy(out, s.out.host[i*size:])
		} else {
			clear(out)
		}
	}
	return nil
}
