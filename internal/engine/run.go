package engine

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
)

// Rows are the rows of a call, which several workers take block by block.
// Its methods are called from several goroutines at a time, for different blocks.
type Rows interface {
	// Load fills the job, which is empty, with the rows from lo to hi; the place
	// of row lo is 0.
	Load(j *Job, lo, hi int)
	// Store takes what the job found of the same rows. If it returns false, the
	// rows that no worker has begun with are left out.
	Store(j *Job, lo, hi int) bool
}

// Run runs rows rows of a kind on at most workers goroutines, one of which is the
// caller's; with workers below 1, on as many as GOMAXPROCS says. Once ctx is done
// no block is begun, and if that leaves rows without a verdict, its error is
// returned. If kind is none, there is an error and r is not asked for anything.
func Run(ctx context.Context, kind Kind, rows, workers int, r Rows) error {
	if !known(kind) {
		return errKind
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	c := call{ctx: ctx, kind: kind, rows: r, workers: workersFor(rows, workers)}
	c.left.Store(int64(rows))
	c.total = rows
	team := crew.New(c.workers)
	defer team.Stop()
	team.Do(func(int) { c.work() })
	return c.err()
}

// A call is one call of Run.
type call struct {
	ctx     context.Context
	kind    Kind
	rows    Rows
	total   int
	workers int

	left      atomic.Int64 // rows that no worker has taken
	cancelled atomic.Bool  // the context was done when there were some
}

func (c *call) err() error {
	if c.cancelled.Load() {
		return c.ctx.Err()
	}
	return nil
}

// work takes blocks until there are none.
func (c *call) work() {
	var job *Job
	for {
		lo, hi := c.take()
		if lo == hi {
			// Not deferred: a job that a panic has left half loaded (columns may be
			// a mapped file that is cut off) is not for others.
			keepJob(job)
			return
		}
		if job == nil {
			job = takeJob(c.kind, hi-lo)
		} else {
			// A block is some hundred microseconds of arithmetic that nobody
			// interrupts: whoever else wants to run, the answer to a request say,
			// should not wait for the scheduler's ten milliseconds.
			runtime.Gosched()
		}
		job.Reset(hi - lo)
		c.rows.Load(job, lo, hi)
		job.Run()
		if !c.rows.Store(job, lo, hi) {
			c.left.Store(0)
			keepJob(job)
			return
		}
	}
}

// take returns the bounds of a block that is this worker's, or an empty one.
func (c *call) take() (lo, hi int) {
	for {
		left := c.left.Load()
		if left == 0 {
			return 0, 0
		}
		if c.ctx.Err() != nil {
			if !c.left.CompareAndSwap(left, 0) {
				continue
			}
			c.cancelled.Store(true)
			return 0, 0
		}
		n := blockFor(int(left), c.workers, MaxBlock)
		if c.left.CompareAndSwap(left, left-int64(n)) {
			lo = c.total - int(left)
			return lo, lo + n
		}
	}
}
