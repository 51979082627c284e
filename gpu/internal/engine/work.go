package engine

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A work is the rows of a call. Engines take rows of it for their launches, each row one of
// them: who is done sooner takes the next. Rows whose launch failed come back, and are taken by
// others.
type work struct {
	// ctx ends with that of the call, and when there are no rows to take.
	ctx context.Context
	end context.CancelFunc

	mu      sync.Mutex
	spans   []span // the rows to take, the next ones last
	rows    int    // how many these are
	engines int    // how many take them
}

// A span is n rows from lo on.
type span struct{ lo, n int }

// newWork returns a work of n rows. It is for begin then.
func newWork(n int) *work { return &work{spans: []span{{0, n}}, rows: n} }

// begin lets so many engines take rows. The function that it returns is called when they have
// returned.
func (w *work) begin(ctx context.Context, engines int) (done func()) {
	w.ctx, w.end = context.WithCancel(ctx)
	w.engines = engines
	return w.end
}

// left returns how many rows there are to take.
func (w *work) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rows
}

// take takes n rows from lo on, or none if none are left: at most most of them. Of the last rows an
// engine takes its part alone, so that all engines end at about the same time, but no less than
// least, if there are as many in succession.
func (w *work) take(least, most int) (lo, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rows == 0 {
		return 0, 0
	}
	part := (w.rows + w.engines - 1) / w.engines
	part = (part + driver.Group - 1) / driver.Group * driver.Group
	s := &w.spans[len(w.spans)-1]
	lo, n = s.lo, min(s.n, most, max(part, least))
	s.lo, s.n = s.lo+n, s.n-n
	if s.n == 0 {
		w.spans = w.spans[:len(w.spans)-1]
	}
	if w.rows -= n; w.rows == 0 {
		w.end()
	}
	return lo, n
}

// giveBack gives n rows back that were taken and are not done.
func (w *work) giveBack(lo, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n > 0 {
		w.spans = append(w.spans, span{lo, n})
		w.rows += n
	}
}
