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
// returned. The workers' jobs come from memory, if that is not nil, and go there.
// If kind is none, there is an error and r is not asked for anything.
func Run(ctx context.Context, kind Kind, rows, workers int, memory *Memory, r Rows) error {
	if !kind.known() {
		return errKind
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	c := call{ctx: ctx, kind: kind, rows: r, memory: memory, workers: workersFor(rows, workers)}
	c.left.Store(int64(rows))
	c.total, c.longest = rows, longest(kind, rows, memory == nil)
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
	memory  *Memory
	total   int
	workers int
	longest int // block

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
	defer func() { c.memory.keep(job) }()
	for {
		lo, hi := c.take()
		if lo == hi {
			return
		}
		if job == nil {
			job = c.memory.job(c.kind, hi-lo)
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
		n := blockFor(int(left), c.workers, c.longest)
		if c.left.CompareAndSwap(left, left-int64(n)) {
			lo = c.total - int(left)
			return lo, lo + n
		}
	}
}
