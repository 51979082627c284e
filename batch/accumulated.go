package batch

import (
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// accumulated are rows that have been parsed, as the engine's workers ask for
// them.
type accumulated struct {
	rows     []engine.Row
	verdicts []Verdict // nil if one row that is not valid is enough to know
	bad      atomic.Bool
}

func (a *accumulated) Load(j *engine.Job, lo, hi int) {
	for i := lo; i < hi; i++ {
		j.Append(&a.rows[i], i-lo)
	}
}

func (a *accumulated) Store(j *engine.Job, lo, hi int) bool {
	bad := false
	for i, v := range j.Verdicts() {
		bad = bad || v != engine.Valid
		if a.verdicts != nil {
			a.verdicts[lo+i] = Verdict(v)
		}
	}
	if bad {
		a.bad.Store(true)
	}
	return !bad || a.verdicts != nil
}
