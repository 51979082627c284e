package equation

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A runner computes equations on a device.
type runner struct {
	dev    driver.Device
	queue  driver.Queue
	memory Memory
	answer Answer
	adds   []add // used instead of those of the shape, if not nil
}

// newAnswer returns an Answer with memory for all results.
func newAnswer() Answer {
	return Answer{Records: make([]byte, RecordsBytes),
		Sum: sums.Answer{Memory: make([]byte, sums.AnswerBytes)}}
}

func newRunner(d driver.Device) (*runner, error) {
	q, err := d.NewQueue()
	return &runner{dev: d, queue: q, memory: Memory{Sum: new(sums.Memory)}, answer: newAnswer()}, err
}

func (r *runner) close() error {
	r.queue.Close()
	r.memory.Free()
	return r.dev.Close()
}

// do returns the verdict on a batch, whose rows it divides among the given number of equations.
func (r *runner) do(b *hostile.Batch, equations int) (device.Verdict, error) {
	c := b.Call()
	var total Total
	for i := range equations {
		lo, hi := c.Rows*i/equations, c.Rows*(i+1)/equations
		var part Total
		if err := r.part(&part, c, lo, hi); err != nil {
			return 0, err
		}
		total.Join(&part)
	}
	return total.Verdict(c.Kind), nil
}

// part adds the equation of rows lo to hi − 1 to total. It writes the terms of the rows in two
// launches.
func (r *runner) part(total *Total, c *device.Call, lo, hi int) error {
	s := New(hi - lo)
	if r.adds != nil {
		s.adds = r.adds
	}
	if err := r.memory.Grow(r.dev, s, 1<<40); err != nil {
		return err
	}
	if err := s.Begin(r.queue, &r.memory, &r.answer); err != nil {
		return err
	}
	third := lo + (hi-lo)/3
	for _, piece := range [][2]int{{lo, third}, {third, hi}} {
		if err := r.write(s, c, lo, piece[0], piece[1]); err != nil {
			return err
		}
	}
	if err := s.Finish(r.queue, &r.memory, &r.answer); err != nil {
		return err
	}
	if err := r.queue.Wait(context.Background()); err != nil {
		return err
	}
	return total.Add(s, &r.answer)
}

// write writes the terms of rows lo to hi − 1 of c. The equation begins at the row of c with the
// index origin, so in the equation these rows have the indices lo − origin to hi − origin − 1.
func (r *runner) write(s *Shape, c *device.Call, origin, lo, hi int) error {
	if lo == hi {
		return nil
	}
	var columns [4]driver.Buffer
	for i, col := range c.Columns {
		if col.Data == nil {
			continue
		}
		b, err := r.dev.Alloc((hi - lo) * col.Stride)
		if err != nil {
			return err
		}
		defer b.Free()
		if err := r.queue.Write(b, 0, col.Data[lo*col.Stride:hi*col.Stride]); err != nil {
			return err
		}
		columns[i] = b
	}
	err := s.Write(r.queue, &r.memory, &r.answer, c.Kind, kernels.Flags(c), lo-origin, hi-lo, columns)
	if err != nil {
		return err
	}
	return r.queue.Wait(context.Background())
}

// check returns an error if the verdict on a batch is wrong.
func (r *runner) check(b *hostile.Batch, equations int) error {
	v, err := r.do(b, equations)
	if err == nil && v != b.Want {
		err = fmt.Errorf("verdict %d, want %d", v, b.Want)
	}
	if err != nil {
		err = fmt.Errorf("kind %d, %s, %d rows: %w", b.Set.Kind, b.What, len(b.Set.Rows), err)
	}
	return err
}

// TestPTX checks that the committed PTX gives every batch the right verdict.
func TestPTX(t *testing.T) {
	fake := cudatest.New()
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(kernels.Sums()); err != nil {
		t.Fatal(err)
	}
	r, err := newRunner(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 9} {
		for i, b := range hostile.Batches(n) {
			if err := r.check(&b, 1+i%2); err != nil {
				t.Error(err)
			}
		}
	}
	// Add up the records of the rows in two launches. Calls use several launches only if they have
	// more rows than a test has time for.
	r.adds = []add{{4, 9}, {3, 4}}
	for _, b := range hostile.Batches(9)[:9] {
		if err := r.check(&b, 1); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(r.close(), fake.Err(), fake.Leaks()); err != nil {
		t.Error(err)
	}
}
