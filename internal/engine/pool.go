package engine

import (
	"sync"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// The pools keep the working memory of calls for later calls. Allocating and collecting that memory
// would take longer than verifying a few dozen rows. It holds public data, like everything in this
// package. The garbage collector empties the pools.
//
//layers:allow pools of memory for public data
var (
	smallJobs      sync.Pool // *Job for at most fewRows rows
	largeJobs      sync.Pool // *Job for more rows
	decompressJobs sync.Pool // *Job that multiplies nothing, so its lanes have no memory for rows
	batches        sync.Pool // *Batch
	equations      sync.Pool // *Equation
	single         sync.Pool // *Rows with one row, for Parse
)

// fewRows is the number of rows of small jobs: one for each lane. A small job has an eighth of the
// memory of a large one.
const fewRows = lanes.Width

// jobPool returns the pool of jobs for blocks of at most limit rows, and the Cap of its jobs.
func jobPool(s *scheme, limit int) (*sync.Pool, int) {
	switch {
	case s != nil && !s.multiplies():
		return &decompressJobs, profile.Current().BlockRows
	case limit <= fewRows:
		return &smallJobs, fewRows
	}
	return &largeJobs, profile.Current().BlockRows
}

// takeJob returns a job of a kind for blocks of at most limit rows. limit is at most BlockRows of
// the profile.
func takeJob(kind Kind, limit int) *Job {
	s := schemeOf(kind)
	pool, room := jobPool(s, limit)
	j, _ := pool.Get().(*Job)
	if j == nil || j.Cap() < room { // or j was made for another level of CPU features
		return NewJob(kind, room)
	}
	j.scheme = s
	j.needLanes()
	return j
}

// keepJob returns a job from takeJob to its pool. It does nothing if j is nil.
func keepJob(j *Job) {
	if j == nil {
		return
	}
	j.forget()
	pool, _ := jobPool(j.scheme, j.Cap())
	pool.Put(j)
}

// take returns a value from a pool of *T, or a zero value if the pool is empty.
func take[T any](pool *sync.Pool) *T {
	if v, _ := pool.Get().(*T); v != nil {
		return v
	}
	return new(T)
}

// keepBatch returns a batch to its pool.
func keepBatch(b *Batch) {
	b.Reset()
	b.rows.forgetTables()
	b.fit.forgetTables()
	batches.Put(b)
}
