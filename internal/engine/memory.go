package engine

import "sync"

// A Memory keeps the jobs of calls for later calls. The zero value is ready for
// use, by any number of goroutines. It holds as many jobs as there were workers
// at a time.
type Memory struct {
	mu   sync.Mutex
	jobs []*Job
}

// job returns a job for blocks of at most rows rows, a new one if m is nil.
func (m *Memory) job(kind Kind, rows int) *Job {
	if m == nil {
		return NewJob(kind, rows)
	}
	m.mu.Lock()
	var j *Job
	if n := len(m.jobs); n > 0 {
		j, m.jobs[n-1], m.jobs = m.jobs[n-1], nil, m.jobs[:n-1]
	}
	m.mu.Unlock()
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
	m.mu.Lock()
	m.jobs = append(m.jobs, j)
	m.mu.Unlock()
}
