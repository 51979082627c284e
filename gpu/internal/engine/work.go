package engine

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A shared is a call that one Engine carries out, or several together.
type shared interface {
	// left returns how many rows there are to take.
	left() int
	// begin lets a crew take rows. The function that it returns is called when by has returned
	// for each of them.
	begin(ctx context.Context, crew []*Engine) (done func())
	// by has member i of the crew carry out rows until none are left to take, and returns whether
	// it has taken any. What it has not done when it returns an error is left for others.
	by(ctx context.Context, e *Engine, i int) (did bool, err error)
	// end writes to the call what is not there yet when no rows are left.
	end()
}

// sharedOf returns what a call is to Engines, or nil if they have no program for its kind and
// rules.
func sharedOf(c *device.Call) shared {
	if c.Rules&^kernels.Rules(c.Kind) != 0 {
		return nil
	}
	if c.Kind == device.Sum || hasEquation(c) {
		return newDivision(c)
	}
	if p, ok := programOf(c.Kind); ok {
		return &rowCall{newWork(c.Rows), c, &p}
	}
	return nil
}

// A rowCall is a call whose rows have verdicts of their own.
type rowCall struct {
	*work
	c *device.Call
	p *program
}

func (r *rowCall) begin(ctx context.Context, crew []*Engine) (done func()) {
	return r.work.begin(ctx, len(crew))
}

func (r *rowCall) by(ctx context.Context, e *Engine, _ int) (bool, error) {
	return e.share(ctx, r.c, r.p, r.work)
}

func (r *rowCall) end() {}

// A work is the rows of a call. Engines take rows of it, each row one of them: who is done sooner
// takes the next. Rows that were taken and not done come back, and are taken by others.
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
	return w.cut(min(most, max(part, least)))
}

// cut takes n rows, or fewer if there are not as many in succession. The caller has the lock.
func (w *work) cut(n int) (int, int) {
	s := &w.spans[len(w.spans)-1]
	lo := s.lo
	n = min(n, s.n)
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
