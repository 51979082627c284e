package verify

import "time"

// patience is how long a worker waits for one more job. A reader produces a batch in a tenth of
// that time, unless its input has not arrived yet.
const patience = 5 * time.Millisecond

// A feed passes jobs from the reading goroutine to the workers.
type feed struct {
	jobs chan *job
	// held has room for one token per worker. A token in it means that the reading goroutine cannot
	// send more jobs before some have been reported. So a worker that has collected jobs must
	// verify them instead of waiting for more.
	held     chan struct{}
	patience time.Duration
}

func newFeed(jobs, workers int) *feed {
	return &feed{make(chan *job, jobs), make(chan struct{}, workers), patience}
}

// hold tells every worker that no job will come before some have been reported. A worker that is
// not waiting at the moment skips its next wait.
func (f *feed) hold() {
	for {
		select {
		case f.held <- struct{}{}:
		default:
			return
		}
	}
}

// atOnce returns a job if one is available now. Otherwise ok is false.
func (f *feed) atOnce() (j *job, ok bool) {
	select {
	case j, ok = <-f.jobs:
	default:
	}
	return j, ok
}

// wait returns the next job. It waits for one at most as long as the constant patience says.
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
