package sums

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A runner computes sums on a device.
type runner struct {
	dev    driver.Device
	queue  driver.Queue
	memory Memory
}

// do carries out a call of kind Sum. The function shape chooses the parameters for a number of
// terms. The terms are written in two launches.
func (r *runner) do(c *device.Call, shape func(n int) *Shape) (err error) {
	s := shape(c.Rows)
	if err := r.memory.Grow(r.dev, s, 1<<40); err != nil {
		return err
	}
	a := Answer{Memory: make([]byte, AnswerBytes)}
	if err := s.Begin(r.queue, &r.memory, &a); err != nil {
		return err
	}
	for _, part := range [][2]int{{0, c.Rows / 3}, {c.Rows / 3, c.Rows}} {
		if err := r.parse(s, c, part[0], part[1]); err != nil {
			return err
		}
	}
	if err := s.Sum(r.queue, &r.memory, &a); err != nil {
		return err
	}
	if err := r.queue.Wait(context.Background()); err != nil {
		return err
	}
	var total Total
	if err := total.Add(s, &a); err != nil {
		return err
	}
	clear(c.Results)
	c.Verdicts[0] = device.Malformed
	if !a.Malformed() {
		c.Verdicts[0] = device.Valid
		sum := total.Bytes()
		copy(c.Results, sum[:])
	}
	return nil
}

// parse writes the terms with indices from lo to hi.
func (r *runner) parse(s *Shape, c *device.Call, lo, hi int) error {
	if lo == hi {
		return nil
	}
	var columns [2]driver.Buffer
	for i, width := range []int{32, 64} {
		b, err := r.dev.Alloc((hi - lo) * width)
		if err != nil {
			return err
		}
		defer b.Free()
		if err := r.queue.Write(b, 0, c.Columns[i].Data[lo*width:hi*width]); err != nil {
			return err
		}
		columns[i] = b
	}
	if err := s.Parse(r.queue, &r.memory, lo, hi-lo, columns[0], columns[1]); err != nil {
		return err
	}
	return r.queue.Wait(context.Background())
}

// check carries out the sums in list and compares the results with the expected ones.
func (r *runner) check(list []hostile.Sum, shape func(n int) *Shape) error {
	for _, s := range list {
		c := s.Call()
		if err := r.do(c, shape); err != nil {
			return fmt.Errorf("%s: %w", s.What, err)
		}
		if err := s.Check(c); err != nil {
			return err
		}
	}
	return nil
}

// sumsOf returns sums of n terms. It makes them on the first call for each n.
func sumsOf(n int) []hostile.Sum {
	list, ok := made.Load(n)
	if !ok {
		list, _ = made.LoadOrStore(n, hostile.Sums(n))
	}
	return list.([]hostile.Sum)
}

var made sync.Map

// full returns a function that chooses, for any number of terms with full scalars, windows of c
// bits and pieces of the given length.
func full(c, length int) func(n int) *Shape {
	return func(n int) *Shape { return of(n, c, length) }
}

// onHost runs a test with the kernels compiled as C11, once with sanitizers and once with work
// items in reverse order.
func onHost(t *testing.T, f func(t *testing.T, r *runner)) {
	for name, flags := range map[string][]string{
		"sanitized": slices.Concat(c11test.Sanitized, c11test.Strict),
		"backward":  c11test.Backward,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, wait := onC11(t, kernels.Sums().Source, flags...)
			f(t, r)
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// onC11 compiles the kernels in source as C11, and returns a runner that uses them. The function
// wait ends the program and returns its error.
func onC11(t *testing.T, source string, flags ...string) (r *runner, wait func() error) {
	t.Helper()
	return startC11(t, c11test.Compile(t, source, flags...))
}

// startC11 does the work of onC11 for a program that is compiled already.
func startC11(t *testing.T, path string) (r *runner, wait func() error) {
	t.Helper()
	h, wait := c11test.Start(t, path)
	q, err := h.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	return &runner{dev: h, queue: q}, wait
}

// TestHost checks that the kernels, run on the CPU, compute the right sums of 1 to 90 terms. It
// uses windows of all sizes, and cuts the list of terms into pieces of several lengths.
func TestHost(t *testing.T) {
	onHost(t, func(t *testing.T, r *runner) {
		for _, n := range []int{1, 2, 17, 90} {
			list := sumsOf(n)
			if err := r.check(list, New); err != nil {
				t.Error(err)
			}
			for i := range list { // use a different window size for each sum
				c, run := minWindow+(i+n)%(maxWindow-minWindow+1), []int{1, 2, 3, 16, 1000}[i%5]
				if c > 10 && n > 2 {
					c -= 6 // use smaller windows: large ones have too many buckets
				}
				if err := r.check(list[i:i+1], full(c, run)); err != nil {
					t.Errorf("windows of %d bits, pieces of %d: %v", c, run, err)
				}
			}
		}
	})
}

// TestApart checks that no work item reads words that other work items of its launch write, and
// that no two work items write the same word.
func TestApart(t *testing.T) {
	r, wait := onC11(t, kernels.Sums().Source, c11test.Apart...)
	for _, n := range []int{2, 40} {
		if err := r.check(sumsOf(n), full(6, 2)); err != nil {
			t.Error(err)
		}
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// TestPTX checks that the committed PTX computes sums correctly.
func TestPTX(t *testing.T) {
	fake := cudatest.New()
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(kernels.Sums()); err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{dev: d, queue: q}
	for _, n := range []int{2, 40} {
		if err := r.check(sumsOf(n), full(6, 8)); err != nil {
			t.Error(err)
		}
	}
	q.Close()
	r.memory.Free()
	if err := errors.Join(d.Close(), fake.Err(), fake.Leaks()); err != nil {
		t.Error(err)
	}
}
