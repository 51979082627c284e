package engine

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A source has the rows of a call, which workers take in blocks. Its methods are called
// by several goroutines at a time, for different blocks.
type source interface {
	// block returns the rows from lo to hi: where they are, for which the job has a window, or
	// in its room, which has memory for them.
	block(j *Job, lo, hi int) *Rows
	// store takes the verdicts and points of the same rows from the job. If it returns
	// false, no further block is begun.
	store(j *Job, lo, hi int) bool
}

// Run processes rows rows of a kind, without equations, on at most workers goroutines,
// one of which is the caller's; with workers below 1, on as many as GOMAXPROCS says.
// Once ctx is done no block is begun, and if that leaves rows without a verdict, its
// error is returned. If kind is none, there is an error and s is not asked for anything.
func Run(ctx context.Context, kind Kind, rows, workers int, s source) error {
	if !known(kind) {
		return errKind
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	r := &running{
		ctx: ctx, kind: kind, source: s, total: rows,
		workers: workersFor(rows, workers), most: profile.Current().BlockRows,
	}
	r.left.Store(int64(rows))
	if r.workers == 1 {
		r.work()
	} else {
		r.share()
	}
	return r.err()
}

// share divides the blocks among several workers. One alone needs no crew, nor the stack that it
// takes: those who lead a queue's batches are many.
func (r *running) share() {
	c := crew.New(r.workers)
	defer c.Stop()
	c.Do(func(int) { r.work() })
}

// running is one call of Run.
type running struct {
	ctx     context.Context
	kind    Kind
	source  source
	total   int
	workers int
	most    int // rows of a block

	left      atomic.Int64 // rows that no worker has taken
	cancelled atomic.Bool  // the context was done when there were some
}

func (r *running) err() error {
	if r.cancelled.Load() {
		return r.ctx.Err()
	}
	return nil
}

// work processes blocks until there are none.
func (r *running) work() {
	var job *Job
	for {
		lo, hi := r.take()
		if lo == hi {
			// Not deferred: a job that a panic has left half done (columns may be
			// a mapped file that is cut off) is not for others.
			keepJob(job)
			return
		}
		if job == nil {
			job = takeJob(r.kind, hi-lo)
		} else {
			// A block is some hundred microseconds of arithmetic that nothing
			// interrupts. Other goroutines, one that answers a request say, should
			// not wait for the scheduler's ten milliseconds.
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

// take returns the bounds of a block that is this worker's, or an empty one.
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
