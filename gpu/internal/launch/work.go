package launch

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// A work is a call that is carried out by one Engine or by several together, its crew. The rows of
// the call are in a queue. Engines take rows from it, so each row goes to one Engine, and an Engine
// that is done takes more. Rows that an Engine took and did not finish are put back, and other
// Engines take them.
type work struct {
	call    *device.Call
	program *program // nil if the call has one verdict for all rows: see division.go

	// ctx ends when the call's context ends or no rows are left.
	ctx context.Context
	end context.CancelFunc

	mu    sync.Mutex
	spans []span // rows that are not taken; the last span is taken next
	rows  int    // number of rows in spans
	hands []hand // one for each member of the crew

	// Calls with one verdict have the fields below.
	over  bool       // the result is certain without the remaining rows
	total sums.Total // subtotals of the members that have ended without an error
}

// A span is the rows from lo to lo + n − 1.
type span struct{ lo, n int }

// newWork returns a work with all rows of a call. It returns nil if Engines have no program for the
// call's kind and rules. The caller must call its method begin before its other methods.
func newWork(c *device.Call) *work {
	if c.Rules&^kernels.Rules(c.Kind) != 0 {
		return nil
	}
	w := &work{call: c, spans: []span{{0, c.Rows}}, rows: c.Rows}
	if c.Kind == device.Sum || hasEquation(c) {
		return w
	}
	p, ok := programOf(c.Kind)
	if !ok {
		return nil
	}
	w.program = &p
	return w
}

// begin starts the work for a crew of Engines. When the method by has returned for each member, the
// caller calls the function done.
func (w *work) begin(ctx context.Context, crew []*Engine) (done func()) {
	w.ctx, w.end = context.WithCancel(ctx)
	w.hands = make([]hand, len(crew))
	if w.program == nil {
		for i, e := range crew {
			w.hands[i].pace = e.pace(w.call.Kind)
		}
	}
	return w.end
}

// by makes the Engine e, which is member i of the crew, carry out rows until none are left, and
// reports whether e did any. If it returns an error, the rows that it did not finish are left for
// other members.
func (w *work) by(ctx context.Context, e *Engine, i int) (did bool, err error) {
	if w.program == nil {
		return w.reduce(ctx, e, i)
	}
	return e.share(ctx, w)
}

// finish writes the answers that the calls of the method by have not written. The caller calls it
// after all rows are done.
func (w *work) finish() {
	if w.program == nil {
		w.total.Write(w.call)
	}
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
	part := (w.rows + len(w.hands) - 1) / len(w.hands)
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

// giveBack puts rows that were taken and not finished back into the queue, unless the result of the
// call is certain without them.
func (w *work) giveBack(spans ...span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range spans {
		if s.n > 0 && !w.over {
			w.spans = append(w.spans, s)
			w.rows += s.n
		}
	}
}

// A remembering context stays ended once it has ended. Package context demands that of every
// context. But of one that forgets its end, a call that has done no row would be valid.
type remembering struct {
	context.Context
	ended atomic.Pointer[error]
}

// Remember returns a context that ends when ctx does, and remembers that. A nil context never ends.
func Remember(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return &remembering{Context: ctx}
}

func (c *remembering) Err() error {
	err := c.Context.Err()
	select {
	case <-c.Done():
		err = cmp.Or(err, c.Context.Err(), context.Canceled) // an error even if Err is nil now
	default:
	}
	if err != nil {
		c.ended.CompareAndSwap(nil, &err)
	}
	if first := c.ended.Load(); first != nil {
		return *first
	}
	return nil
}
