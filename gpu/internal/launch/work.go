package launch

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A shared is a call that is carried out by one Engine or by several together.
type shared interface {
	// left returns the number of rows that no Engine has taken so far.
	left() int
	// begin starts sharing the call among the members of crew. When the method by has returned for
	// each member, the caller calls the function done.
	begin(ctx context.Context, crew []*Engine) (done func())
	// by makes the Engine e, which is member i of the crew, carry out rows until none are left, and
	// reports whether e did any. If it returns an error, the rows that it did not finish are left
	// for other members.
	by(ctx context.Context, e *Engine, i int) (did bool, err error)
	// end writes the answers that the calls of the method by have not written. The caller calls it
	// after all rows are done.
	end()
}

// sharedOf wraps a call so that Engines can share it. It returns nil if they have no program for
// its kind and rules.
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

// A rowCall is a call in which each row has its own verdict.
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

// A work is a queue of the rows of a call. Engines take rows from it, so each row goes to one
// Engine, and an Engine that is done takes more. Rows that an Engine took and did not finish are
// put back, and other Engines take them.
type work struct {
	// ctx ends when the call's context ends or no rows are left.
	ctx context.Context
	end context.CancelFunc

	mu      sync.Mutex
	spans   []span // rows that are not taken; the last span is taken next
	rows    int    // number of rows in spans
	engines int    // number of Engines that take rows
}

// A span is the rows from lo to lo + n − 1.
type span struct{ lo, n int }

// newWork returns a work with n rows. The caller must call its method begin before its other
// methods.
func newWork(n int) *work { return &work{spans: []span{{0, n}}, rows: n} }

// begin starts the work for the given number of Engines. The caller calls the function done after
// all Engines have finished.
func (w *work) begin(ctx context.Context, engines int) (done func()) {
	w.ctx, w.end = context.WithCancel(ctx)
	w.engines = engines
	return w.end
}

// left returns the number of rows that are not taken.
func (w *work) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rows
}

// take takes the next n rows, which begin at row lo. n is at most maximum, and 0 if no rows
// are left. Near the end an Engine takes only its share, so that all Engines end at about the same
// time, but at least minimum rows, if that many consecutive rows are left.
func (w *work) take(minimum, maximum int) (lo, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rows == 0 {
		return 0, 0
	}
	part := (w.rows + w.engines - 1) / w.engines
	part = (part + driver.Group - 1) / driver.Group * driver.Group
	return w.cut(min(maximum, max(part, minimum)))
}

// cut takes n rows off the next span, or all of the span if it is shorter. The caller holds the
// lock.
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

// giveBack puts the n rows from lo on, which were taken and not finished, back into the queue.
func (w *work) giveBack(lo, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n > 0 {
		w.spans = append(w.spans, span{lo, n})
		w.rows += n
	}
}
