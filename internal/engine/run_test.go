package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counted are rows that count how often they are loaded and stored.
type counted struct {
	loaded, stored []atomic.Int32
	widest         atomic.Int64
	running, most  atomic.Int32
	stopAt         int // Store returns false for the block of this row
}

func (c *counted) Load(j *Job, lo, hi int) {
	if n := c.running.Add(1); n > c.most.Load() {
		c.most.Store(n)
	}
	if w := int64(hi - lo); w > c.widest.Load() {
		c.widest.Store(w)
	}
	if c.stopAt >= 0 {
		// Rows that cost nothing would all be done before the one who says stop
		// is heard, if it is not running just then.
		time.Sleep(20 * time.Microsecond)
	}
	for i := lo; i < hi; i++ {
		c.loaded[i].Add(1)
		row := &j.rows[0]
		row.SetMalformed()
		j.Append(row, i-lo)
	}
}

func (c *counted) Store(j *Job, lo, hi int) bool {
	defer c.running.Add(-1)
	for i, v := range j.Verdicts() {
		if v == Malformed {
			c.stored[lo+i].Add(1)
		}
	}
	return c.stopAt < lo || c.stopAt >= hi
}

func newCounted(n int) *counted {
	return &counted{loaded: make([]atomic.Int32, n), stored: make([]atomic.Int32, n), stopAt: -1}
}

// Every row is in exactly one block, whatever the numbers of rows and workers.
func TestRunConcurrently(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 15, 16, 31, 32, 33, 100, 127, 128, 129, 1000, 5003} {
		for _, workers := range []int{-1, 0, 1, 2, 3, 8, 1000} {
			c := newCounted(n)
			if err := Run(context.Background(), Decompress, n, workers, c); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if c.loaded[i].Load() != 1 || c.stored[i].Load() != 1 {
					t.Fatalf("%d rows, %d workers: row %d was loaded %d times and stored %d times",
						n, workers, i, c.loaded[i].Load(), c.stored[i].Load())
				}
			}
			if w := c.widest.Load(); w > MaxBlock {
				t.Errorf("a block of %d rows", w)
			}
			if workers > 0 && int(c.most.Load()) > workers {
				t.Errorf("%d workers at a time, want %d", c.most.Load(), workers)
			}
		}
	}
}

// When Store says that it is enough, what was begun is finished, and no more.
func TestRunStopsConcurrently(t *testing.T) {
	const n = 100000
	for _, workers := range []int{1, 2, 4} {
		c := newCounted(n)
		c.stopAt = 300
		if err := Run(context.Background(), Decompress, n, workers, c); err != nil {
			t.Fatal(err)
		}
		loaded := 0
		for i := range n {
			if c.loaded[i].Load() != c.stored[i].Load() {
				t.Fatalf("row %d was begun and not finished", i)
			}
			loaded += int(c.loaded[i].Load())
		}
		if loaded == n || workers == 1 && loaded > 300+2*MaxBlock {
			t.Errorf("%d workers: %d rows after row 300 said stop", workers, loaded)
		}
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := newCounted(100)
	if err := Run(ctx, Decompress, 100, 4, c); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for i := range c.loaded {
		if c.loaded[i].Load() != 0 {
			t.Fatalf("row %d was loaded", i)
		}
	}
	// Nothing is left out if there is nothing.
	if err := Run(ctx, Decompress, 0, 4, newCounted(0)); err != nil {
		t.Errorf("%v", err)
	}
}

// Blocks never grow while a call runs, so that a worker's job has room for all
// of them, and they are whole groups of lanes but for the last.
func TestBlocks(t *testing.T) {
	for workers := 1; workers < 20; workers++ {
		for _, rows := range []int{1, 8, 9, 100, 1000, 12345} {
			before := rows
			for left := rows; left > 0; {
				n := blockFor(left, workers, MaxBlock)
				if n < 1 || n > before || n > MaxBlock || n%minBlock != 0 && n != left {
					t.Fatalf("%d workers, %d of %d rows left: a block of %d after one of %d", workers, left, rows, n, before)
				}
				before = n
				left -= n
			}
		}
	}
}

// Jobs that are kept serve later calls, of every kind and size, several at a time.
func TestPoolConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	all := make(map[Kind][]sample)
	for _, kind := range kinds {
		all[kind] = samples(r, kind, 40)
	}
	onLevels(t, func(t *testing.T) { // with jobs of the level before
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 30 {
					kind := kinds[(i+g)%len(kinds)]
					rows := all[kind][:1+(i*7+g)%40]
					j := takeJob(kind, len(rows))
					if useLanes(kind, j.Cap()) != (j.lanes != nil) {
						t.Errorf("a job of another level")
					}
					j.Reset(len(rows))
					for at := range rows {
						j.Append(&rows[at].row, at)
					}
					j.Run()
					check(t, j, rows)
					keepJob(j)
				}
			})
		}
		wg.Wait()
		for _, c := range takeJob(ECDSA, 40).comb {
			if c != nil {
				t.Error("a table is kept alive")
			}
		}
	})
}
