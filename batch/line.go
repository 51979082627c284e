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

var (
	// ErrClosed is returned by the methods of a Queue that has been closed.
	ErrClosed = errors.New("batch: the queue is closed")
	// ErrBusy is returned by the methods of a Queue that was made with MaxWaiting if
	// so many callers wait already.
	ErrBusy = errors.New("batch: the queue is full")
)

// A line is where callers of a Queue with signatures of one kind meet. A caller
// that finds few leaders becomes one: it takes those who wait at the head of the
// line, verifies their rows with its own, and leaves; if there are others left
// then, the first of them is the next leader. Who finds enough leaders waits in
// the line. So nothing runs when nobody calls, and nobody verifies more than one
// group.
type line struct {
	kind  engine.Kind
	limit int  // leaders at a time
	most  int  // who may wait; 0: as many as come
	exact bool // no equations

	mu          sync.Mutex
	stats       Stats
	leaders     int         // who hold a place as a leader, also those yet to wake up for it
	full        atomic.Bool // there are as many leaders as may be
	waiting     int
	first, last *request // the line
	closed      bool
	empty       sync.Cond // closed, and neither leaders nor waiting

	spare    []*group // of leaders that have left
	account  engine.Account
	requests sync.Pool // of callers that have

	// Before the line is as old as hurry says, a leader that is alone does not let
	// others come. inVain says how often nobody came, one time after another.
	hurry  atomic.Int64
	inVain atomic.Int32
	born   time.Time
}

// A request is a caller in the line: what it asks, and how it is told.
type request struct {
	row        engine.Row
	hashed     bool            // the row has all; if not, its challenge is missing
	unhashed   engine.Unhashed // what that is the hash of
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

func newLine(kind engine.Kind, limit int, o options) *line {
	l := &line{kind: kind, limit: limit, most: o.maxWaiting, exact: o.exact, born: time.Now()}
	l.requests.New = func() any { return &request{wake: make(chan struct{}, 1)} }
	l.empty.L = &l.mu
	return l
}

// verify reports whether a row is valid. single does it alone; parse sets a
// request to the same, after which nothing of the caller's is looked at any more.
func (l *line) verify(ctx context.Context, single func() bool, parse func(*request)) (bool, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	leader := false
	if !l.full.Load() {
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			return false, ErrClosed
		}
		leader = l.enter()
		alone := leader && l.waiting == 0
		l.mu.Unlock()
		if alone && !l.letOthersCome() {
			valid := single()
			l.mu.Lock()
			l.stats.Alone++
			l.leave()
			return valid, nil
		}
	} else if l.most > 0 && l.refuses() {
		return false, ErrBusy
	}
	r := l.requests.Get().(*request)
	parse(r)
	l.mu.Lock()
	switch {
	case r.row.Verdict() != engine.Unchecked:
		l.requests.Put(r)
		if leader {
			l.leave()
		} else {
			l.mu.Unlock()
		}
		return false, nil
	case leader:
	case l.closed:
		l.requests.Put(r)
		l.mu.Unlock()
		return false, ErrClosed
	case l.enter():
	case l.isBusy():
		l.requests.Put(r)
		l.mu.Unlock()
		return false, ErrBusy
	default:
		l.append(r)
		l.mu.Unlock()
		return l.wait(ctx, r)
	}
	l.mu.Unlock()
	return l.lead(r), nil
}

// refuses returns whether the line is busy, before anything is parsed.
func (l *line) refuses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaders >= l.limit && !l.closed && l.isBusy()
}

// letOthersCome lets other goroutines run before a leader that is alone begins,
// in case that they are about to call: on a busy machine they could not
// otherwise, since the leaders have all of the CPU. If nobody came, it does not
// do so again for as long as that took, and if that happens again, for twice as
// long, up to 32 times: so a caller without company loses a thirtieth of its
// time at most, whatever else the machine has to do. It returns whether somebody
// came.
func (l *line) letOthersCome() bool {
	before := time.Since(l.born)
	if int64(before) < l.hurry.Load() {
		return false
	}
	runtime.Gosched()
	if l.others() {
		l.inVain.Store(0)
		return true
	}
	now := time.Since(l.born)
	times := min(l.inVain.Add(1)-1, 5)
	l.hurry.Store(int64(now + (now-before)<<times))
	return false
}

// wait waits in the line, of which r is a part, for the verdict or for being told
// to lead.
func (l *line) wait(ctx context.Context, r *request) (bool, error) {
	if quit := ctx.Done(); quit == nil {
		<-r.wake
	} else {
		select {
		case <-r.wake:
		case <-quit:
			if left := l.abandon(r); left {
				return false, ctx.Err()
			}
		}
	}
	if r.state.Load() == leading {
		return l.lead(r), nil
	}
	valid := r.valid
	l.requests.Put(r)
	return valid, nil
}

// abandon takes r out of whatever it is in. It returns false if it is done
// already, and awake.
func (l *line) abandon(r *request) bool {
	l.mu.Lock()
	switch r.state.Load() {
	case waiting:
		l.remove(r)
		l.requests.Put(r)
	case leading:
		<-r.wake
		l.requests.Put(r)
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
	for l.first != nil && len(g.members) < cap(g.members) {
		next := l.first
		l.remove(next)
		next.state.Store(taken)
		g.members = append(g.members, next)
	}
	together := !l.exact && l.account.Allows(l.kind, len(g.members))
	l.promote() // there may be work for another core
	l.mu.Unlock()

	cost := g.verify(l.kind, together)
	valid := r.valid
	l.requests.Put(r)
	for _, m := range g.members[1:] {
		if m.state.CompareAndSwap(taken, done) {
			m.wake <- struct{}{}
		} else {
			l.requests.Put(m)
		}
	}

	l.mu.Lock()
	l.account.Enter(len(g.members), cost)
	l.stats.Groups++
	l.stats.Grouped += uint64(len(g.members))
	if together {
		l.stats.Equations++
		if cost > engine.SpentOnEquation(len(g.members)) {
			l.stats.Failed++
		}
	}
	g.clear()
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

// isBusy returns whether as many wait as may, and counts whom that keeps out.
func (l *line) isBusy() bool {
	busy := l.most > 0 && l.waiting >= l.most
	if busy {
		l.stats.Busy++
	}
	return busy
}

// enter takes a place as a leader, if there is one.
func (l *line) enter() bool {
	if l.leaders >= l.limit {
		return false
	}
	l.leaders++
	l.full.Store(l.leaders == l.limit)
	return true
}

// leave gives up a place as a leader, to the first in the line if there is one,
// and the mutex.
func (l *line) leave() {
	l.leaders--
	l.full.Store(false)
	l.promote()
	if l.closed && l.leaders == 0 {
		l.empty.Broadcast() // nobody waits where there is no leader
	}
	l.mu.Unlock()
}

// promote makes the first in the line a leader, if one may be.
func (l *line) promote() {
	if l.first == nil || !l.enter() {
		return
	}
	r := l.first
	l.remove(r)
	r.state.Store(leading)
	r.wake <- struct{}{}
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

func (l *line) newGroup() *group {
	if n := len(l.spare); n > 0 {
		g := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return g
	}
	return newGroup(l.kind)
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
