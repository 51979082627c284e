package batch

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// A sharedBatch is what callers of a Queue share: their rows, which one of them, the
// leader, verifies.
type sharedBatch struct {
	callers  []*request // the leader is the first
	rows     engine.Batch
	verdicts []engine.Verdict
}

func newSharedBatch(kind engine.Kind) *sharedBatch {
	return &sharedBatch{callers: make([]*request, 0, engine.QueueRows(kind))}
}

// isFull returns whether it has as many callers as it may.
func (b *sharedBatch) isFull() bool { return len(b.callers) == cap(b.callers) }

// clear removes all callers.
func (b *sharedBatch) clear() {
	clear(b.callers)
	b.callers = b.callers[:0]
	b.rows.Reset()
}

// verify sets valid in the requests of all callers. With tryEquation it tries one
// equation for all of them, and returns true if that holds. If not, it returns how many
// rows are malformed.
func (b *sharedBatch) verify(kind engine.Kind, tryEquation bool) (malformed int, holds bool) {
	// All callers have an answer before the leader leaves: the context never ends, so
	// that no row stays Unchecked and there is no error.
	ctx := context.Background()
	for _, r := range b.callers {
		b.rows.Take(&r.row)
	}
	if tryEquation {
		if ok, err := b.rows.Together(ctx, kind); ok && err == nil {
			for _, r := range b.callers {
				r.valid = true
			}
			return 0, true
		}
	}
	n := len(b.callers)
	b.verdicts = slices.Grow(b.verdicts[:0], n)[:n]
	err := b.rows.Verify(ctx, kind, b.verdicts, engine.Options{Exact: true, Workers: 1})
	for i, r := range b.callers {
		r.valid = err == nil && b.verdicts[i] == engine.Valid
		if b.verdicts[i] == engine.Malformed {
			malformed++
		}
	}
	return malformed, false
}
