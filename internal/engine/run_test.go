package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// counted returns columns of n rows, and counts how often each of them is parsed. Row number bad is
// malformed, because it has no key, and all others are valid. If bad is negative, all rows are
// malformed.
func counted(n, bad int) (c *columns, parsed []atomic.Int32) {
	parsed = make([]atomic.Int32, n)
	key := new(point.Affine).SetGenerator()
	c = newColumns(&device.Call{Kind: AddTweaks, Rows: n}, Options{})
	c.Columns[0].Data = make([]byte, 32)
	c.Verdicts, c.Results = slices.Repeat([]Verdict{77}, n), make([]byte, n*ResultSize(c.Kind))
	c.Key = func(i int) (*point.Affine, *vartime.SplitTable) {
		parsed[i].Add(1)
		if bad >= 0 && i%32 == 0 {
			//layers:allow until all workers pause, in the simulated time of synctest
			time.Sleep(time.Nanosecond)
		}
		if bad < 0 || bad == i {
			return nil, nil
		}
		return key, nil
	}
	return c, parsed
}

// TestRunConcurrently checks that every row is in exactly one block, for any number of rows and
// workers.
func TestRunConcurrently(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 15, 16, 31, 32, 33, 100, 127, 128, 129, 1000, 5003} {
		for _, workers := range []int{-1, 0, 1, 2, 3, 8, 1000} {
			c, parsed := counted(n, -1)
			c.Workers = workers
			ok, err := run(context.Background(), c, nil)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			for i := range n {
				if parsed[i].Load() != 1 || c.Verdicts[i] != Malformed {
					t.Fatalf("%d rows, %d workers: row %d was parsed %d times and is %v", n, workers, i,
						parsed[i].Load(), c.Verdicts[i])
				}
			}
		}
	}
}

// TestRunStopsConcurrently checks that no block is started after one with a row that is not valid,
// if the caller asks only whether all rows are valid.
func TestRunStopsConcurrently(t *testing.T) { synctest.Test(t, testRunStops) }

func testRunStops(t *testing.T) {
	const n = 100000
	for _, workers := range []int{1, 2, 4} {
		c, parsed := counted(n, 300)
		c.Verdicts, c.Workers = nil, workers
		if ok, err := run(context.Background(), c, nil); ok || err != nil {
			t.Fatal(ok, err)
		}
		rows := 0
		for i := range parsed {
			rows += int(parsed[i].Load())
		}
		if rows > 300+3*workers*profile.Current().BlockRows {
			t.Errorf("%d workers: %d rows were parsed", workers, rows)
		}
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, n := range []int{0, 100} {
		c, parsed := counted(n, -1)
		c.Workers = 4
		ok, err := run(ctx, c, nil)
		// A call without rows leaves no rows undone, so there is no error although the context has
		// ended.
		if ok != (n == 0) || n > 0 && (!errors.Is(err, context.Canceled) || parsed[0].Load() > 0) {
			t.Errorf("%d rows: %v, %v", n, ok, err)
		}
	}
}

// An endedContext has ended, which its method Err tells only once all workers ask for it.
type endedContext struct {
	context.Context
	workers int32
	asked   atomic.Int32
}

func (c *endedContext) Err() error {
	for c.asked.Add(1); c.asked.Load() < c.workers; {
		runtime.Gosched()
	}
	return context.Canceled
}

// TestRunCancelledConcurrently checks that run returns an error if several workers notice at the
// same time that the context has ended: rows that nobody has verified must not be called valid.
func TestRunCancelledConcurrently(t *testing.T) {
	c, _ := counted(1000, -1)
	c.Verdicts, c.Workers = nil, 4
	for range 2000 {
		ctx := &endedContext{Context: context.Background(), workers: int32(c.Workers)}
		if ok, err := run(ctx, c, nil); ok || !errors.Is(err, context.Canceled) {
			t.Fatal(ok, err)
		}
	}
}

// TestBlocks checks that blocks never grow while a call runs, so that a worker's job has room for
// each, and that all blocks but the last fill vectors.
func TestBlocks(t *testing.T) {
	for workers := 1; workers < 20; workers++ {
		for _, rows := range []int{1, 8, 9, 100, 1000, 12345} {
			before := rows
			for left := rows; left > 0; {
				n := blockFor(left, workers, profile.Current().BlockRows)
				if n < 1 || n > before || n > profile.Current().BlockRows || n%minBlock != 0 && n != left {
					t.Fatalf("%d workers, %d of %d rows left: a block of %d after one of %d", workers, left, rows,
						n, before)
				}
				before = n
				left -= n
			}
		}
	}
}

// TestPoolConcurrently checks that pooled jobs give right results in later calls of every kind and
// size, several at a time.
func TestPoolConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var all []*samples
	for _, kind := range kinds {
		all = append(all, newSamples(r, kind, 40, kind == ECDSA))
	}
	onLevels(t, func(t *testing.T) { // the pools still hold jobs of the previous level
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 30 {
					rows, n := all[(i+g)%len(all)], 1+(i*7+g)%40
					j := takeJob(rows.scheme, n)
					rows.check(t, j, 0, n)
					keepJob(j)
				}
			})
		}
		wg.Wait()
		// A job in a pool keeps neither a table nor rows of a call alive.
		prepared := all[slices.Index(kinds, ECDSA)]
		j := takeJob(prepared.scheme, 40)
		prepared.check(t, j, 0, 40)
		keepJob(j)
		if slices.ContainsFunc(j.parsed, func(r row) bool { return r.table != nil }) ||
			slices.ContainsFunc(j.tables, func(c *vartime.SplitTable) bool { return c != nil }) {
			t.Error("a table is kept alive")
		}
		if slices.ContainsFunc(j.rows[:cap(j.rows)], func(r *row) bool { return r != nil }) {
			t.Error("rows of a call are kept alive")
		}
	})
}

// TestPart checks that a part of a call has the verdicts, reasons, keys and results of its rows.
func TestPart(t *testing.T) {
	size, at := ResultSize(device.Recover), 0
	c := newColumns(&device.Call{
		Kind: device.Recover, Rows: 4, Verdicts: make([]Verdict, 4), Results: make([]byte, 4*size),
	}, Options{Reasons: make([]Reason, 4), Key: func(i int) (*point.Affine, *vartime.SplitTable) {
		at = i
		return nil, nil
	}})
	p := c.part(1, 3)
	p.Key(1)
	if p.Rows != 2 || len(p.Verdicts) != 2 || &p.Verdicts[0] != &c.Verdicts[1] ||
		len(p.Reasons) != 2 || &p.Reasons[0] != &c.Reasons[1] || at != 2 ||
		len(p.Results) != 2*size || &p.Results[0] != &c.Results[size] {
		t.Errorf("%d rows with %d verdicts, %d reasons, key %d and %d bytes", p.Rows, len(p.Verdicts),
			len(p.Reasons), at, len(p.Results))
	}
}
