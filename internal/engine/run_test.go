package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// counted is a source that counts how often each row is loaded and stored.
type counted struct {
	loaded, stored []atomic.Int32
	widest         atomic.Int64
	running, most  atomic.Int32
	stopAt         int // number of a row; store returns false for its block
}

func (c *counted) block(j *Job, lo, hi int) *Rows {
	room := &j.room
	if n := c.running.Add(1); n > c.most.Load() {
		c.most.Store(n)
	}
	if w := int64(hi - lo); w > c.widest.Load() {
		c.widest.Store(w)
	}
	if c.stopAt >= 0 {
		//layers:allow until all workers pause, in the simulated time of synctest
		time.Sleep(time.Nanosecond)
	}
	room.resize(hi - lo)
	for i := lo; i < hi; i++ {
		c.loaded[i].Add(1)
		Row{room, i - lo}.SetKey(nil, nil)
	}
	return room
}

func (c *counted) store(j *Job, lo, hi int) bool {
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

// TestRunConcurrently checks that every row is in exactly one block, for any number of rows and
// workers.
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
			if w := c.widest.Load(); int(w) > profile.Current().BlockRows {
				t.Errorf("a block of %d rows", w)
			}
			if workers > 0 && int(c.most.Load()) > workers {
				t.Errorf("%d workers at a time, want %d", c.most.Load(), workers)
			}
		}
	}
}

// TestRunStopsConcurrently checks that after store returns false, blocks already started are
// finished, and no others are started.
func TestRunStopsConcurrently(t *testing.T) { synctest.Test(t, testRunStops) }

func testRunStops(t *testing.T) {
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
		if loaded == n || workers == 1 && loaded > 300+2*profile.Current().BlockRows {
			t.Errorf("%d workers: %d rows after row 300 said stop", workers, loaded)
		}
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := newCounted(100)
	err := Run(ctx, Decompress, 100, 4, c)
	if !errors.Is(err, context.Canceled) || c.most.Load() > 0 {
		t.Errorf("%v, and %d workers loaded rows", err, c.most.Load())
	}
	// A call without rows leaves no rows undone, so there is no error although the context has
	// ended.
	if err := Run(ctx, Decompress, 0, 4, newCounted(0)); err != nil {
		t.Errorf("%v", err)
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
	all := make(map[Kind][]sample)
	for _, kind := range kinds {
		all[kind] = samples(r, kind, 40)
	}
	onLevels(t, func(t *testing.T) { // the pools still hold jobs of the previous level
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 30 {
					kind := kinds[(i+g)%len(kinds)]
					rows := all[kind][:1+(i*7+g)%40]
					j := takeJob(kind, len(rows))
					least := profile.Current().Rows
					if kind == Decompress {
						least = profile.Current().Lifts
					}
					if reaches(j.Cap(), least) != (j.lanes != nil) {
						t.Errorf("a job of another level")
					}
					j.Run(rowsOf(&j.room, rows))
					check(t, j, rows)
					keepJob(j)
				}
			})
		}
		wg.Wait()
		// Pools may drop jobs, and return any job, so look at several. None of these may keep a
		// table or rows of a call alive.
		for range 8 {
			j := takeJob(ECDSA, 40)
			for _, r := range []Rows{j.room, j.kept} {
				if tables := r.tables[:cap(r.tables)]; slices.ContainsFunc(tables,
					func(c *vartime.SplitTable) bool { return c != nil }) {
					t.Error("a table is kept alive")
				}
			}
			if j.rows.p != nil {
				t.Error("rows of a call are kept alive")
			}
		}
	})
}

// TestPartOf checks that a part of a call has the verdicts and results of its own rows.
func TestPartOf(t *testing.T) {
	size := ResultSize(Recover)
	c := device.Call{
		Kind: Recover, Rows: 4, Verdicts: make([]Verdict, 4), Results: make([]byte, 4*size),
	}
	p, _ := partOf(&c, Options{}, 1, 3)
	if p.Rows != 2 || len(p.Verdicts) != 2 || &p.Verdicts[0] != &c.Verdicts[1] ||
		len(p.Results) != 2*size || &p.Results[0] != &c.Results[size] {
		t.Errorf("%d rows with %d verdicts and %d bytes", p.Rows, len(p.Verdicts), len(p.Results))
	}
}
