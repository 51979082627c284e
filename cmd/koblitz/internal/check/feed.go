package check

import "time"

// patience is how long a worker waits for one more job. A reader needs a tenth of that for a batch,
// unless its input has not arrived yet.
const patience = 5 * time.Millisecond

// A feed passes jobs from the reading goroutine to the workers.
type feed struct {
	jobs chan *job
	// held has one slot per worker. A token in it means that the reading goroutine waits until jobs
	// have been reported, so a worker that holds some must not wait for more.
	held     chan struct{}
	patience time.Duration
}

func newFeed(jobs, workers int) *feed {
	return &feed{make(chan *job, jobs), make(chan struct{}, workers), patience}
}

// hold tells every worker that no job will come before some have been reported. A worker that is
// not waiting now will skip its next wait.
func (f *feed) hold() {
	for {
		select {
		case f.held <- struct{}{}:
		default:
			return
		}
	}
}

// atOnce takes a job if one is available.
func (f *feed) atOnce() (j *job, ok bool) {
	select {
	case j, ok = <-f.jobs:
	default:
	}
	return j, ok
}

// wait takes a job. It waits up to patience for one.
func (f *feed) wait() (*job, bool) {
	if j, ok := f.atOnce(); ok {
		return j, true
	}
	late := time.NewTimer(f.patience)
	defer late.Stop()
	select {
	case j, ok := <-f.jobs:
		return j, ok
	case <-f.held:
	case <-late.C:
	}
	return nil, false
}
