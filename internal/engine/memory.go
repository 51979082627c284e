package engine

import (
	"sync"
	"sync/atomic"
)

// A Memory keeps the jobs of calls for later calls. The zero value is ready for
// use, by any number of goroutines. It holds as many jobs as there were workers
// at a time.
//
// A copy of a Memory that was used shares its jobs with the original: a job is
// never in two hands.
type Memory struct{ jobs atomic.Pointer[jobs] }

// jobs are those that no call works with.
type jobs struct {
	mu   sync.Mutex
	list []*Job
}

// shared returns the jobs of m, which is used from now on.
func (m *Memory) shared() *jobs {
	if s := m.jobs.Load(); s != nil {
		return s
	}
	m.jobs.CompareAndSwap(nil, new(jobs))
	return m.jobs.Load()
}

// job returns a job for blocks of at most rows rows, a new one if m is nil.
func (m *Memory) job(kind Kind, rows int) *Job {
	if m == nil {
		return NewJob(kind, rows)
	}
	s := m.shared()
	s.mu.Lock()
	var j *Job
	if n := len(s.list); n > 0 {
		j, s.list[n-1], s.list = s.list[n-1], nil, s.list[:n-1]
	}
	s.mu.Unlock()
	if j == nil || j.Cap() < rows || !j.serves(kind) {
		return NewJob(kind, rows)
	}
	j.kind = kind
	return j
}

// keep takes a job that is done, if m is not nil.
func (m *Memory) keep(j *Job) {
	if m == nil || j == nil {
		return
	}
	clear(j.comb) // tables are not to be kept alive
	s := m.shared()
	s.mu.Lock()
	s.list = append(s.list, j)
	s.mu.Unlock()
}
