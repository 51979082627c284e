package batch

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/internal/engine"
)

// ErrClosed is returned by the methods of a Queue that has been closed.
var ErrClosed = errors.New("batch: the queue is closed")

// A line is where callers of a Queue with signatures of one kind meet. A caller
// that finds few leaders becomes one: it takes those who wait at the head of the
// line, verifies their rows with its own, and leaves; if there are others left
// then, the first of them is the next leader. Who finds enough leaders waits in
// the line. So nothing runs when nobody calls, and nobody verifies more than one
// group.
type line struct {
	kind  engine.Kind
	limit int // leaders at a time

	mu          sync.Mutex
	leaders     int // who hold a place as a leader, also those yet to wake up for it
	waiting     int
	first, last *request // the line
	closed      bool
	empty       sync.Cond // closed, and neither leaders nor waiting

	spare []*group // of leaders that have left
	free  *request // by next

	// Before the line is as old as that, a leader that is alone does not let
	// others come.
	hurry atomic.Int64
	born  time.Time
}

// A request is a caller in the line: what it asks, and how it is told.
type request struct {
	row        engine.Row
	prev, next *request
	state      atomic.Int32
	valid      bool          // once the state is done
	wake       chan struct{} // with room for one
}

// The states of a request. From waiting and leading it goes on under the mutex of
// the line; what becomes of a request that is taken, its caller and its leader
// settle with one atomic operation.
const (
	waiting   = iota // in the line
	leading          // told to be a leader
	taken            // in a leader's group
	done             // valid is set
	abandoned        // the caller has left; the leader frees the request
)

// A group is what a leader works with.
type group struct {
	job     *engine.Job
	members []*request // the leader is the first
}

func newLine(kind engine.Kind, limit int) *line {
	l := &line{kind: kind, limit: limit, born: time.Now()}
	l.empty.L = &l.mu
	return l
}

// verify reports whether a row is valid. single does it alone; parse sets a
// request's row to the same, after which nothing of the caller's is looked at any
// more.
func (l *line) verify(ctx context.Context, single func() bool, parse func(*engine.Row)) (bool, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false, ErrClosed
	}
	leader := l.leaders < l.limit
	if leader {
		l.leaders++
		if l.waiting == 0 {
			l.mu.Unlock()
			l.letOthersCome()
			l.mu.Lock()
			if l.waiting == 0 {
				l.mu.Unlock()
				valid := single()
				l.mu.Lock()
				l.leave()
				return valid, nil
			}
		}
	}
	r := l.newRequest()
	l.mu.Unlock()
	parse(&r.row)
	if r.row.Verdict() != engine.Unchecked {
		l.mu.Lock()
		l.release(r)
		if leader {
			l.leave()
		} else {
			l.mu.Unlock()
		}
		return false, nil
	}
	if leader {
		return l.lead(r), nil
	}
	l.mu.Lock()
	switch {
	case l.closed:
		l.release(r)
		l.mu.Unlock()
		return false, ErrClosed
	case l.leaders < l.limit:
		l.leaders++
		l.mu.Unlock()
		return l.lead(r), nil
	}
	l.append(r)
	l.mu.Unlock()
	return l.wait(ctx, r)
}

// letOthersCome lets other goroutines run before a leader that is alone begins,
// in case that they are about to call: on a busy machine they could not
// otherwise, since the leaders have all of the CPU. If nobody came, it does not
// do so again for sixteen times as long as that took, so that a caller without
// company loses little, whatever else the machine has to do.
func (l *line) letOthersCome() {
	before := time.Since(l.born)
	if int64(before) < l.hurry.Load() {
		return
	}
	runtime.Gosched()
	if !l.others() {
		now := time.Since(l.born)
		l.hurry.Store(int64(now + 16*(now-before)))
	}
}

// wait waits in the line, of which r is a part, for the verdict or for being told
// to lead.
func (l *line) wait(ctx context.Context, r *request) (bool, error) {
	select {
	case <-r.wake:
	case <-ctx.Done():
		if left := l.abandon(r); left {
			return false, ctx.Err()
		}
	}
	if r.state.Load() == leading {
		return l.lead(r), nil
	}
	valid := r.valid
	l.mu.Lock()
	l.release(r)
	l.mu.Unlock()
	return valid, nil
}

// abandon takes r out of whatever it is in. It returns false if it is done
// already, and awake.
func (l *line) abandon(r *request) bool {
	l.mu.Lock()
	switch r.state.Load() {
	case waiting:
		l.remove(r)
		l.release(r)
		l.mayBeEmpty()
	case leading:
		<-r.wake
		l.release(r)
		l.leave()
		return true
	default:
		if !r.state.CompareAndSwap(taken, abandoned) {
			l.mu.Unlock()
			<-r.wake
			return false
		}
	}
	l.mu.Unlock()
	return true
}

// lead verifies r with others from the line. The caller holds a place as a
// leader, which is given up, and r, which is freed.
func (l *line) lead(r *request) bool {
	if !l.others() {
		l.letOthersCome()
	}
	l.mu.Lock()
	g := l.newGroup()
	g.members = append(g.members, r)
	for l.first != nil && len(g.members) < g.job.Cap() {
		next := l.first
		l.remove(next)
		next.state.Store(taken)
		g.members = append(g.members, next)
	}
	l.promote() // there may be work for another core
	l.mu.Unlock()

	g.job.Reset(len(g.members))
	for i, m := range g.members {
		g.job.Append(&m.row, i)
	}
	g.job.Run()
	verdicts := g.job.Verdicts()
	valid := verdicts[0] == engine.Valid
	left := g.members[:1] // to be freed here
	for i, m := range g.members[1:] {
		m.valid = verdicts[i+1] == engine.Valid
		if m.state.CompareAndSwap(taken, done) {
			m.wake <- struct{}{}
		} else {
			left = append(left, m)
		}
	}

	l.mu.Lock()
	for _, m := range left {
		l.release(m)
	}
	clear(g.members)
	g.members = g.members[:0]
	l.spare = append(l.spare, g)
	l.leave()
	return valid
}

// others returns whether there is somebody in the line.
func (l *line) others() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting > 0
}

// What follows is called with the mutex held.

// leave gives up a place as a leader, to the first in the line if there is one,
// and the mutex.
func (l *line) leave() {
	l.leaders--
	l.promote()
	l.mayBeEmpty()
	l.mu.Unlock()
}

// promote makes the first in the line a leader, if one may be.
func (l *line) promote() {
	if l.first == nil || l.leaders >= l.limit {
		return
	}
	r := l.first
	l.remove(r)
	l.leaders++
	r.state.Store(leading)
	r.wake <- struct{}{}
}

func (l *line) mayBeEmpty() {
	if l.closed && l.leaders == 0 && l.waiting == 0 {
		l.empty.Broadcast()
	}
}

func (l *line) append(r *request) {
	r.state.Store(waiting)
	r.prev = l.last
	if l.last == nil {
		l.first = r
	} else {
		l.last.next = r
	}
	l.last = r
	l.waiting++
}

func (l *line) remove(r *request) {
	if r.prev == nil {
		l.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	l.waiting--
}

func (l *line) newRequest() *request {
	r := l.free
	if r == nil {
		return &request{wake: make(chan struct{}, 1)}
	}
	l.free, r.next = r.next, nil
	return r
}

func (l *line) release(r *request) {
	r.next = l.free
	l.free = r
}

func (l *line) newGroup() *group {
	if n := len(l.spare); n > 0 {
		g := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return g
	}
	n := engine.Group()
	return &group{engine.NewJob(l.kind, n), make([]*request, 0, n)}
}

// close lets nobody in any more and waits until nobody is left.
func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.leaders > 0 || l.waiting > 0 {
		l.empty.Wait()
	}
}
