package sums

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/msm"
)

// A runner computes sums and equations on a device.
type runner struct {
	dev    driver.Device
	queue  driver.Queue
	memory Memory
	answer Answer
}

func newRunner(t *testing.T, d driver.Device) *runner {
	t.Helper()
	q, err := d.NewQueue(false)
	if err != nil {
		t.Fatal(err)
	}
	return &runner{dev: d, queue: q, answer: newAnswer()}
}

// newAnswer returns an Answer with memory for all results.
func newAnswer() Answer {
	return Answer{Sum: make([]byte, SumBytes), Records: make([]byte, RecordsBytes)}
}

func (r *runner) close() error {
	r.queue.Close()
	r.memory.Free()
	return r.dev.Close()
}

// add adds the rows of c from lo on, as many as s has, to total. It writes their terms in two
// launches.
func (r *runner) add(total *Total, s *Shape, c *device.Call, lo int) error {
	if err := r.memory.Grow(r.dev, s, 1<<40); err != nil {
		return err
	}
	if err := s.Begin(r.queue, &r.memory, &r.answer); err != nil {
		return err
	}
	for _, piece := range [][2]int{{0, s.Rows / 3}, {s.Rows / 3, s.Rows}} {
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

// write writes the terms of rows lo to hi − 1 of a sum that begins at the row of c with the index
// origin.
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
		data := col.Data[(origin+lo)*col.Stride : (origin+hi)*col.Stride]
		if err := r.queue.Write(b, 0, data); err != nil {
			return err
		}
		columns[i] = b
	}
	err := s.Write(r.queue, &r.memory, &r.answer, kernels.Flags(c), lo, hi-lo, columns)
	if err != nil {
		return err
	}
	return r.queue.Wait(context.Background())
}

// checkSums returns an error unless the sums in list, each with the Shape that the function shape
// returns for its number of terms, have the expected results.
func (r *runner) checkSums(list []hostile.Sum, shape func(n int) *Shape) error {
	for _, s := range list {
		c := s.Call()
		var total Total
		if err := r.add(&total, shape(c.Rows), c, 0); err != nil {
			return fmt.Errorf("%s: %w", s.What, err)
		}
		total.Write(c)
		if err := s.Check(c); err != nil {
			return err
		}
	}
	return nil
}

// checkBatch divides the rows of a batch among the given number of equations, and returns an error
// if the verdict is wrong.
func (r *runner) checkBatch(b *hostile.Batch, equations int) error {
	c := b.Call()
	var total Total
	for i := range equations {
		lo, hi := c.Rows*i/equations, c.Rows*(i+1)/equations
		if err := r.add(&total, New(c.Kind, hi-lo), c, lo); err != nil {
			return fmt.Errorf("kind %d, %s, %d rows: %w", b.Set.Kind, b.What, c.Rows, err)
		}
	}
	if total.Write(c); c.Verdicts[0] != b.Want {
		return fmt.Errorf("kind %d, %s, %d rows: verdict %d, want %d", b.Set.Kind, b.What, c.Rows,
			c.Verdicts[0], b.Want)
	}
	return nil
}

// checkTerms computes the equation of a batch, and returns an error unless the sum and the numbers
// of rows with each verdict are those that the oracle finds with the same coefficients. If adds is
// not nil, its launches add up the records.
func (r *runner) checkTerms(b *hostile.Batch, adds []add) error {
	c := b.Call()
	s := New(c.Kind, c.Rows)
	if adds != nil {
		s.adds = adds
	}
	var total Total
	if err := r.add(&total, s, c, 0); err != nil {
		return err
	}
	var counts [4]uint32
	var scalars, points []byte
	base := new(big.Int)
	for _, terms := range b.Set.Equation(r.answer.drawn[:seedBytes]) {
		counts[terms.Verdict] += r.answer.mark()
		if terms.Verdict != device.Valid {
			continue
		}
		base.Add(base, terms.Base).Mod(base, reference.N())
		for k, p := range terms.Points {
			scalars = append(scalars, terms.Scalars[k].FillBytes(make([]byte, 32))...)
			points = append(points, p.X.FillBytes(make([]byte, 32))...)
			points = append(points, p.Y.FillBytes(make([]byte, 32))...)
		}
	}
	want, err := msm.PackedSumVartime(context.Background(), scalars, points, nil)
	if err != nil {
		return err
	}
	switch _, got := addUp(r.answer.records); {
	case got != counts:
		return fmt.Errorf("rows with each verdict: %x, want %x", got, counts)
	case new(big.Int).SetBytes(total.base.Bytes()).Cmp(base) != 0:
		return fmt.Errorf("%x·G, want %x·G", total.base.Bytes(), base)
	case !total.sum.Equal(&want):
		return errors.New("the terms have another sum")
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

// equationSets returns batches of hostile rows for equations, with and without the rule LowS. Most
// of the recovery ids of ECDSA rows select the nonce point, or the point with the same x coordinate
// and the other y coordinate.
func equationSets(size int) (list []hostile.Batch) {
	for _, s := range hostile.Sets(size) {
		withIDs := s.Kind == device.ECDSA && s.Rules == device.LowS
		if s.Kind == device.Schnorr || withIDs {
			list = append(list, hostile.Batch{Set: s})
		}
		if withIDs {
			s.Rules = 0
			list = append(list, hostile.Batch{Set: s})
		}
	}
	return list
}

// best returns the Shape that calls use for n terms.
func best(n int) *Shape { return New(device.Sum, n) }

// full returns a function that chooses, for any number of terms with full scalars, windows of c
// bits and pieces of the given length.
func full(c, length int) func(n int) *Shape {
	return func(n int) *Shape { return of(device.Sum, n, c, length) }
}

// onHost runs a test with the kernels compiled as C11: with sanitizers, and with work items in
// reverse order.
func onHost(t *testing.T, f func(t *testing.T, r *runner)) {
	for name, flags := range map[string][]string{
		"sanitized": slices.Concat(c11test.Sanitized, c11test.Strict),
		"backward":  c11test.Backward,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, wait := startC11(t, c11test.Compile(t, kernels.Sums().Source, flags...))
			f(t, r)
			if err := errors.Join(r.close(), wait()); err != nil {
				t.Error(err)
			}
		})
	}
}

// startC11 returns a runner that uses the compiled program at path. The function wait ends the
// program and returns its error.
func startC11(t *testing.T, path string) (r *runner, wait func() error) {
	t.Helper()
	h, wait := c11test.Start(t, path)
	return newRunner(t, h), wait
}

// TestSums checks that the kernels, run on the CPU, compute the right sums of 1 to 90 terms. It
// uses windows of all sizes, and cuts the list of terms into pieces of several lengths.
func TestSums(t *testing.T) {
	onHost(t, func(t *testing.T, r *runner) {
		for _, n := range []int{1, 2, 17, 90} {
			list := sumsOf(n)
			if err := r.checkSums(list, best); err != nil {
				t.Error(err)
			}
			for i := range list { // use a different window size for each sum
				c, run := minWindow+(i+n)%(maxWindow-minWindow+1), []int{1, 2, 3, 16, 1000}[i%5]
				if c > 10 && n > 2 {
					c -= 6 // use smaller windows: large ones have too many buckets
				}
				if err := r.checkSums(list[i:i+1], full(c, run)); err != nil {
					t.Errorf("windows of %d bits, pieces of %d: %v", c, run, err)
				}
			}
		}
	})
}

// TestEquations checks that the stages of an equation, run in the order in which calls launch them,
// give batches the right verdicts, and that the sums of the equations are the oracle's.
func TestEquations(t *testing.T) {
	onHost(t, func(t *testing.T, r *runner) {
		check := func(what string, err error) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		for i, b := range hostile.Batches(2) {
			check("two rows", r.checkBatch(&b, 1+i%2))
			check(b.What, r.checkTerms(&b, nil))
		}
		// Add up records in more steps than a call does, so that sums are longer than 256 bits. In
		// the steps of a call this would take more rows than a test has time for.
		for _, b := range hostile.Batches(9)[:2] {
			check(b.What, r.checkTerms(&b, []add{{4, 9}, {1, 4}}))
		}
		for i, b := range hostile.Batches(9) {
			check("nine rows", r.checkBatch(&b, 1+i%2))
		}
		for _, b := range hostile.Batches(131)[:3] { // more rows than a group
			check("two groups", r.checkBatch(&b, 1))
		}
		for i, b := range equationSets(2) {
			rows := b.Set.Rows
			for _, n := range []int{1, driver.Group - 1, driver.Group, len(rows)} {
				b.Set.Rows = rows[:min(n, len(rows))]
				check(fmt.Sprintf("set %d, %d rows", i, n), r.checkTerms(&b, nil))
			}
		}
	})
}

// TestPTX checks that the committed PTX computes sums correctly, and gives every batch the right
// verdict.
func TestPTX(t *testing.T) {
	fake := cudatest.New()
	d, err := fake.API().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(kernels.Sums()); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, d)
	for _, n := range []int{2, 40} {
		if err := r.checkSums(sumsOf(n), full(6, 8)); err != nil {
			t.Error(err)
		}
	}
	for _, n := range []int{2, 9} {
		for i, b := range hostile.Batches(n) {
			if err := r.checkBatch(&b, 1+i%2); err != nil {
				t.Error(err)
			}
		}
	}
	// Add up the records of the rows in two launches. Calls use several launches only if they have
	// more rows than a test has time for.
	for _, b := range hostile.Batches(9)[:9] {
		if err := r.checkTerms(&b, []add{{4, 9}, {3, 4}}); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(r.close(), fake.Err(), fake.Leaks()); err != nil {
		t.Error(err)
	}
}
