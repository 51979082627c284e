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

// A source provides the rows that workers process in blocks: those of columns, which each worker
// parses, or parsed rows.
type source struct {
	columns *columns
	rows    *Rows // parsed rows, if columns is nil

	// onlyAll says that the question is only whether all rows are valid: stop at the first block
	// with a row that is not valid, and store no verdicts.
	onlyAll bool
}

// block sets the block of the job j to the rows from lo to hi.
func (s *source) block(j *job, lo, hi int) {
	if s.columns == nil {
		s.rows.window(&j.block, lo, hi)
		return
	}
	s.columns.prepare(&j.parsed, hi-lo)
	s.columns.parse(&j.parsed, lo, 0, hi-lo)
	j.block = j.parsed
}

// store stores what the job j has found for the rows from lo to hi. It returns false if workers
// must start no further block.
func (s *source) store(j *job, lo, hi int) bool {
	switch {
	case s.onlyAll:
		return !slices.ContainsFunc(j.block.verdicts, func(v Verdict) bool { return v != Valid })
	case s.columns != nil:
		return s.columns.store(j, lo, hi)
	}
	return true // j has worked in the memory of the rows
}

// run processes n rows without equations, and reports whether the source has accepted all blocks.
// It uses at most workers goroutines, the caller's included; with workers below 1, at most
// GOMAXPROCS. Once ctx is done, it starts no further block. If that leaves rows without verdicts,
// it returns the error of ctx.
func run(ctx context.Context, s *scheme, n, workers int, from source) (bool, error) {
	r := &execution{
		ctx: ctx, scheme: s, source: from, total: n,
		workers: workersFor(n, forkjoin.Limit(workers)), most: profile.Current().BlockRows,
	}
	r.left.Store(int64(n))
	if r.workers == 1 {
		r.work()
	} else {
		r.share()
	}
	if r.cancelled.Load() {
		return false, cmp.Or(ctx.Err(), context.Canceled) // even if Err of ctx forgets its own error
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
	scheme  *scheme
	source  source
	total   int // number of rows
	workers int
	most    int // greatest number of rows of a block

	left      atomic.Int64 // number of rows that no worker has taken
	cancelled atomic.Bool  // ctx was done before left was 0
	stopped   atomic.Bool  // the source has refused a block
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
			j = takeJob(r.scheme, hi-lo)
		} else {
			// A block takes some hundred microseconds. Let other goroutines run
			// between blocks: otherwise they wait up to ten milliseconds, until the
			// scheduler preempts this one.
			runtime.Gosched()
		}
		r.source.block(j, lo, hi)
		j.run()
		if !r.source.store(j, lo, hi) {
			r.stopped.Store(true)
			r.left.Store(0)
		}
	}
}

// take returns the bounds of the next block for a worker, or of an empty block if no rows are left.
func (r *execution) take() (lo, hi int) {
	for {
		left := r.left.Load()
		if left == 0 {
			return 0, 0
		}
		if r.ctx.Err() != nil {
			if !r.left.CompareAndSwap(left, 0) {
				continue
			}
			r.cancelled.Store(true)
			return 0, 0
		}
		n := blockFor(int(left), r.workers, r.most)
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
