package check

import "time"

// patience is how long a worker waits for one more job. A batch of a reader takes a tenth of that,
// unless its bytes are still to come.
const patience = 5 * time.Millisecond

// A feed brings jobs from the goroutine that reads to the workers.
type feed struct {
	jobs chan *job
	// held has a place for each worker. What is in it says that the reading goroutine waits until
	// jobs have been reported, and that a worker who has some must not wait for others.
	held     chan struct{}
	patience time.Duration
}

func newFeed(jobs, workers int) *feed {
	return &feed{make(chan *job, jobs), make(chan struct{}, workers), patience}
}

// hold tells every worker that no job comes before some have been reported. A worker who does not
// wait now will not wait for the next job that it could wait for.
func (f *feed) hold() {
	for {
		select {
		case f.held <- struct{}{}:
		default:
			return
		}
	}
}

// atOnce takes a job if there is one.
func (f *feed) atOnce() (j *job, ok bool) {
	select {
	case j, ok = <-f.jobs:
	default:
	}
	return j, ok
}

// wait takes a job, and waits for it as long as a worker may.
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
