//ct:public takes public rows

package batch

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// A sharedBatch holds the rows of several callers of a Queue. One of the callers, the leader,
// verifies them.
type sharedBatch struct {
	callers  []*request // the callers that share the batch, the leader first
	rows     engine.Records
	verdicts []engine.Verdict
	reasons  []engine.Reason
}

// newSharedBatch returns a batch for at most the given number of callers.
func newSharedBatch(callers int) *sharedBatch {
	return &sharedBatch{callers: make([]*request, 0, callers)}
}

// isFull reports whether b has reached its greatest number of callers.
func (b *sharedBatch) isFull() bool { return len(b.callers) == cap(b.callers) }

// clear removes all callers.
func (b *sharedBatch) clear() {
	clear(b.callers)
	b.callers = b.callers[:0]
	b.rows.Reset()
}

// verify sets the answer of each caller's request. With tryEquation it first tries one equation for
// all rows, if that still saves time without the malformed ones. It returns the number of malformed
// rows, the number of rows in the equation or 0 if there was none, and whether the equation holds.
func (b *sharedBatch) verify(
	kind engine.Kind, rules device.Rules, tryEquation bool,
) (malformed, tried int, holds bool) {
	for _, r := range b.callers {
		*b.rows.Add() = r.row
	}
	n := len(b.callers)
	b.verdicts = slices.Grow(b.verdicts[:0], n)[:n]
	b.reasons = slices.Grow(b.reasons[:0], n)[:n]
	// The context never ends, so that no row stays Unchecked: every caller must get its answer. If
	// there is an error, which no kind of a queue and no context gives, no row is Valid.
	tried, holds, _ = b.rows.VerifyTogether(context.Background(), kind, rules, b.verdicts,
		engine.Options{Exact: !tryEquation, Reasons: b.reasons})
	for i, r := range b.callers {
		r.answer = answer{b.verdicts[i], b.reasons[i]}
		if b.verdicts[i] == engine.Malformed {
			malformed++
		}
	}
	return malformed, tried, holds
}
