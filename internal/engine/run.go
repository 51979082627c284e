package engine

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// run finds the verdicts of rows, one by one, without equations. If list is nil, these are all rows
// of c: the workers parse them, and store their verdicts, reasons and results in c if c has memory
// for verdicts. Otherwise they are the rows in list, which are parsed and have no verdicts; run
// sets the verdicts in these rows. If c has memory for verdicts, the result is true unless there is
// an error. Otherwise the result reports whether all those rows are valid, and run starts no
// further block after one with a row that is not valid.
//
// run uses at most c.Workers goroutines, the caller's included; if that is below 1, at most
// GOMAXPROCS. Once ctx is done, it starts no further block. If that leaves rows without verdicts,
// it returns the error of ctx.
func run(ctx context.Context, c *columns, list []*row) (bool, error) {
	n := c.Rows
	if list != nil {
		n = len(list)
	}
	r := &execution{
		ctx: ctx, columns: c, list: list, total: n,
		workers: workersFor(n, forkjoin.Limit(c.Workers)),
	}
	r.left.Store(int64(n))
	if r.workers == 1 {
		r.work()
	} else {
		r.share()
	}
	if r.cancelled.Load() {
		return false, cmp.Or(ctx.Err(), context.Canceled) // an error even if ctx.Err() is nil by now
	}
	return !r.stopped.Load(), nil
}

// share divides the blocks among several workers. It is a separate function so that calls with one
// worker, such as those of the many goroutines that wait on a queue, do not need its stack.
func (r *execution) share() {
	c := forkjoin.New(r.workers)
	defer c.Stop()
	// A worker takes blocks of rows until none is left.
	for b := c.Begin(r.workers, 1, func(_, _, _ int) { r.work() }); b.Next(); {
		r.work()
	}
}

// An execution holds the state of one call of run.
type execution struct {
	ctx     context.Context
	columns *columns
	list    []*row
	total   int // number of rows
	workers int

	left      atomic.Int64 // number of rows that no worker has taken
	cancelled atomic.Bool  // ctx was done before left was 0
	stopped   atomic.Bool  // there are no verdicts to store, and a row is not valid
}

// work processes blocks until no rows are left.
func (r *execution) work() {
	var j *job
	for {
		lo, hi := r.take()
		if lo == hi {
			// The call of keepJob is not deferred: after a panic the job is dropped.
			// (Columns may be a mapped file that became shorter.)
			keepJob(j)
			return
		}
		if j == nil {
			j = takeJob(r.columns.scheme, hi-lo)
		} else {
			// A block takes some hundred microseconds. Let other goroutines run
			// between blocks: otherwise they wait up to ten milliseconds, until the
			// scheduler preempts this one.
			runtime.Gosched()
		}
		r.process(j, lo, hi)
	}
}

// process has the job j process the rows from lo to hi.
func (r *execution) process(j *job, lo, hi int) {
	var block []*row
	if r.list == nil {
		block = j.parse(r.columns, lo, hi)
	} else {
		block = r.list[lo:hi]
	}
	j.run(block)
	switch {
	case r.columns.Verdicts == nil:
		if slices.ContainsFunc(block, func(r *row) bool { return r.verdict != Valid }) {
			r.stopped.Store(true)
			r.left.Store(0)
		}
	case r.list == nil:
		r.columns.store(j.parsed[:hi-lo], lo)
	}
}

// take returns the bounds of the next block for a worker, or of an empty block if no rows are left.
func (r *execution) take() (lo, hi int) {
	for {
		left := r.left.Load()
		if left > 0 && r.ctx.Err() != nil {
			// Another worker may have noticed the end of ctx first, or may have taken the last rows.
			if r.left.Swap(0) > 0 {
				r.cancelled.Store(true)
			}
			return 0, 0
		}
		n := blockFor(int(left), r.workers, profile.Current().BlockRows)
		if r.left.CompareAndSwap(left, left-int64(n)) {
			lo = r.total - int(left)
			return lo, lo + n
		}
	}
}

// minBlock is the smallest block if there are several workers. It is small, so that the workers
// finish at about the same time. All blocks but the last are multiples of it, so that they fill
// vectors.
const minBlock = lanes.Width

// mostWorkers is the greatest number of workers of a call. The limit is needed because a column
// that repeats one value can have any number of rows, and a caller may ask for any number of
// workers.
const mostWorkers = 1024

// workersFor returns the number of workers that verify the given number of rows without an
// equation. It is at most limit.
func workersFor(rows, limit int) int {
	return max(1, min(limit, rows/profile.Current().RowsPerWorker, mostWorkers))
}

// blockFor returns the size of the next block of a worker. remaining is the number of rows that no
// worker has taken. The size is at most limit.
func blockFor(remaining, workers, limit int) int {
	if workers > 1 {
		// A block is half of a worker's share, so that a worker that starts late still finds rows.
		share := remaining / (2 * workers)
		remaining = min(remaining, max(minBlock, share/minBlock*minBlock))
	}
	return min(remaining, limit)
}

// QueueRows returns the number of rows that a queue of BIP-340 signatures and a queue of ECDSA
// signatures verify at a time.
func QueueRows() (schnorr, ecdsa int) {
	p := profile.Current()
	return p.QueueSchnorr, p.QueueECDSA
}
