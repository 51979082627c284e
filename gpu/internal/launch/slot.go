package launch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A slot holds everything for one launch: a queue, device memory for columns and results, and as
// much host memory, with which the device memory is copied. While the launch of one slot runs, the
// host fills another slot.
type slot struct {
	queue    driver.Queue
	cols     [4]region
	verdicts region
	out      region

	busy bool // a command was enqueued, and Wait has not returned nil since
	lo   int  // first row of the launch
	n    int  // number of rows in the launch, or 0 once their verdicts have been taken

	// then, if it is not nil, is called after the slot has been given back and the device is done
	// with the slot.
	then func()
}

// A region is device memory and host memory of the same size, for one column, for verdicts or for
// results.
type region struct {
	buffer driver.Buffer
	memory *driver.HostMemory
	host   []byte // the bytes of the field memory
}

// rowBytes returns the number of bytes that a slot needs for each row, on the device and on the
// host alike.
func rowBytes() int {
	sum := 1 + device.KeySize
	for _, w := range widest() {
		sum += w
	}
	return sum
}

// newSlot returns a slot for launches of the given number of rows.
func newSlot(d driver.Device, rows int) (*slot, error) {
	s := new(slot)
	var err error
	if s.queue, err = d.NewQueue(false); err != nil {
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

// allocate allocates the given number of bytes on the device and on the host. If it returns an
// error, r holds the memory that was allocated before the error.
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

// free waits until the slot's queue is empty, and then frees the queue and all memory.
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

// unwritten is the byte with which the verdicts are filled before a launch. It is not a verdict, so
// the verdicts of an earlier launch cannot be taken for those of rows that the kernel left out.
const unwritten = 0xff

// errVerdict is wrapped by errors which say that the device wrote a byte that is not a verdict.
var errVerdict = errors.New("the device wrote no verdict")

// write packs rows lo to hi − 1 of column i, and enqueues the copy to the device.
func (s *slot) write(i int, c *device.Column, width, lo, hi int) error {
	packed := s.cols[i].host[:(hi-lo)*width]
	pack(packed, c, width, lo)
	return s.queue.Write(s.cols[i].buffer, 0, packed)
}

// submit enqueues the launch of the rows of c that have been assigned to the slot. The slot is busy
// afterwards, even if submit returns an error. While one column is copied to the device, submit
// packs the next.
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

// results returns the results of the launch. The kind of c must have results.
func (s *slot) results(c *device.Call) []byte { return s.out.host[:s.n*c.Kind.ResultSize()] }

// collect writes the verdicts and results of the launch, which has ended, to c. If it returns an
// error, it has written nothing.
func (s *slot) collect(c *device.Call, p *program) error {
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
