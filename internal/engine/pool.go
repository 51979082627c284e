package engine

import (
	"sync"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// The pools keep the working memory of calls for later calls: to allocate it anew, and
// to collect it, would take longer than a few dozen rows. All of it is public data, as
// everything in this package. The garbage collector empties the pools.
var (
	smallJobs      sync.Pool // *Job for few rows
	largeJobs      sync.Pool // *Job
	decompressJobs sync.Pool // *Job without the memory of lanes for their rows
	batches        sync.Pool // *Batch
	equations      sync.Pool // *Equation
	single         sync.Pool // *Rows with room for one, for Parse
)

// fewRows is the size of small jobs, which have an eighth of the memory: the rows that
// fill one vector. It does not depend on the machine.
const fewRows = lanes.Width

// jobPool returns the pool of jobs for blocks of at most rows rows, and how many rows
// those have room for.
func jobPool(kind Kind, rows int) (*sync.Pool, int) {
	switch {
	case kind == Decompress:
		return &decompressJobs, profile.Current().BlockRows
	case rows <= fewRows:
		return &smallJobs, fewRows
	}
	return &largeJobs, profile.Current().BlockRows
}

// takeJob returns a job of a kind for blocks of at most rows rows, which is at most
// BlockRows of the profile.
func takeJob(kind Kind, rows int) *Job {
	pool, room := jobPool(kind, rows)
	j, _ := pool.Get().(*Job)
	if j == nil || j.Cap() < room { // made for another level
		return NewJob(kind, room)
	}
	j.kind = kind
	j.needLanes()
	return j
}

// keepJob takes a job back that takeJob has returned, if it is not nil.
func keepJob(j *Job) {
	if j == nil {
		return
	}
	j.forget()
	pool, _ := jobPool(j.kind, j.Cap())
	pool.Put(j)
}

// takeBatch returns an empty batch, which may have memory of an earlier one.
func takeBatch() *Batch {
	if b, _ := batches.Get().(*Batch); b != nil {
		return b
	}
	return new(Batch)
}

// keepBatch takes a batch back.
func keepBatch(b *Batch) {
	b.Reset()
	b.rows.forgetTables()
	b.fit.forgetTables()
	batches.Put(b)
}

func takeEquation() *Equation {
	if e, _ := equations.Get().(*Equation); e != nil {
		return e
	}
	return new(Equation)
}

func keepEquation(e *Equation) { equations.Put(e) }
