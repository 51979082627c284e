package engine

import "sync/atomic"

// every are the rows of a call of which it is enough to know whether all are valid.
type every struct {
	*columns
	bad atomic.Bool
}

func (e *every) Store(j *Job, lo, hi int) bool {
	for _, v := range j.Verdicts() {
		if v != Valid {
			e.bad.Store(true)
			return false
		}
	}
	return true
}
