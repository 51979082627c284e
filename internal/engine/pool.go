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
	smallJobs      sync.Pool // *job for at most fewRows rows
	largeJobs      sync.Pool // *job for more rows
	decompressJobs sync.Pool // *job that multiplies nothing, so it has no lanes
	chunks         sync.Pool // *chunk
)

// fewRows is the number of rows of small jobs: one for each lane. A small job has an eighth of the
// memory of a large one.
const fewRows = lanes.Width

// jobPool returns the pool of jobs for blocks of at most limit rows, and their capacity.
func jobPool(s *scheme, limit int) (*sync.Pool, int) {
	switch {
	case !s.multiplies():
		return &decompressJobs, profile.Current().BlockRows
	case limit <= fewRows:
		return &smallJobs, fewRows
	}
	return &largeJobs, profile.Current().BlockRows
}

// takeJob returns a job for blocks of at most limit rows. limit is at most BlockRows of the
// profile.
func takeJob(s *scheme, limit int) *job {
	pool, room := jobPool(s, limit)
	j, _ := pool.Get().(*job)
	if j == nil || j.cap() < room { // or j was made for another level of CPU features
		return newJob(s, room)
	}
	j.scheme = s
	j.needLanes()
	return j
}

// keepJob returns a job from takeJob to its pool. It does nothing if j is nil.
func keepJob(j *job) {
	if j == nil {
		return
	}
	j.forget()
	pool, _ := jobPool(j.scheme, j.cap())
	pool.Put(j)
}

// takeChunk returns a chunk, which may hold rows of an earlier call.
func takeChunk() *chunk {
	if b, _ := chunks.Get().(*chunk); b != nil {
		return b
	}
	return new(chunk)
}

// keepChunk returns a chunk to its pool, even after a panic, because the method parse sets all rows
// of a chunk. The rows have no tables: rows under prepared keys have no equations.
func keepChunk(b *chunk) { chunks.Put(b) }
