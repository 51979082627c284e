package engine

import (
	"cmp"
	"context"
	"runtime"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A source provides the rows of a call, which workers process in blocks. Several goroutines call
// its methods at a time, for different blocks.
type source interface {
	// block returns the rows from lo to hi. They are either a window of the source's rows, set in
	// the job's field window, or parsed or copied into the job's field room.
	block(j *Job, lo, hi int) *Rows
	// store stores the verdicts and points that the job found for the rows from lo to hi. If it
	// returns false, workers start no further block.
	store(j *Job, lo, hi int) bool
}

// Run processes n rows of a kind without equations. It uses at most workers goroutines, the
// caller's included; with workers below 1, at most GOMAXPROCS. Once ctx is done, Run starts no
// further block. If that leaves rows without verdicts, it returns the error of ctx. If the kind has
// no scheme, it returns an error and does not call s.
func Run(ctx context.Context, kind Kind, n, workers int, s source) error {
	if schemeOf(kind) == nil {
		return errKind
	}
	r := &running{
		ctx: ctx, kind: kind, source: s, total: n,
		workers: workersFor(n, crew.Limit(workers)), most: profile.Current().BlockRows,
	}
	r.left.Store(int64(n))
	if r.workers == 1 {
		r.work()
	} else {
		r.share()
	}
	if r.cancelled.Load() {
		return cmp.Or(ctx.Err(), context.Canceled) // an error even if Err of ctx forgets its own
	}
	return nil
}

// share divides the blocks among several workers. It is a separate function so that calls with one
// worker, such as those of the many goroutines that wait on a queue, do not need its stack.
func (r *running) share() {
	c := crew.New(r.workers)
	defer c.Stop()
	c.Do(func(int) { r.work() })
}

// running holds the state of one call of Run.
type running struct {
	ctx     context.Context
	kind    Kind
	source  source
	total   int // number of rows
	workers int
	most    int // greatest number of rows of a block

	left      atomic.Int64 // number of rows that no worker has taken
	cancelled atomic.Bool  // ctx was done before left was 0
}

// work processes blocks until no rows are left.
func (r *running) work() {
	var job *Job
	for {
		lo, hi := r.take()
		if lo == hi {
			// The call of keepJob is not deferred: after a panic the job cannot be used again.
			// (Columns may be a mapped file that became shorter.)
			keepJob(job)
			return
		}
		if job == nil {
			job = takeJob(r.kind, hi-lo)
		} else {
			// A block takes some hundred microseconds. Let other goroutines run
			// between blocks: otherwise they wait up to ten milliseconds, until the
			// scheduler preempts this one.
			runtime.Gosched()
		}
		job.Run(r.source.block(job, lo, hi))
		if !r.source.store(job, lo, hi) {
			r.left.Store(0)
			keepJob(job)
			return
		}
	}
}

// take returns the bounds of the next block for a worker, or of an empty block if no rows are left.
func (r *running) take() (lo, hi int) {
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

// runAll works like Run, but its caller asks only whether all rows are valid. It stops at the first
// block with a row that is not valid.
func runAll(ctx context.Context, kind Kind, n, workers int, s source) (bool, error) {
	e := &every{source: s}
	err := Run(ctx, kind, n, workers, e)
	return err == nil && !e.bad.Load(), err
}

// every is a source that stores no verdicts, only whether any row is not valid.
type every struct {
	source
	bad atomic.Bool
}

func (e *every) store(j *Job, lo, hi int) bool {
	for _, v := range j.Verdicts() {
		if v != Valid {
			e.bad.Store(true)
			return false
		}
	}
	return true
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
