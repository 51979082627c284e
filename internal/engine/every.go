package engine

import (
	"context"
	"sync/atomic"
)

// runAll works like Run, but its caller asks only whether all rows are valid. It stops at the first
// block with a row that is not valid.
func runAll(ctx context.Context, kind Kind, rows, workers int, s source) (bool, error) {
	e := &every{source: s}
	err := Run(ctx, kind, rows, workers, e)
	return err == nil && !e.bad.Load(), err
}

// every is a source that stores no verdicts, only whether any row is not valid.
type every struct {
	source
	bad atomic.Bool
}

func (e *every) store(j *Job, lo, hi int) bool {
	for _, v := range j.Verdicts() {
		if v != Valid {
			e.bad.Store(true)
			return false
		}
	}
	return true
}
