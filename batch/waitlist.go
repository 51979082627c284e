package batch

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/engine"
)

var (
	// ErrClosed is returned by the methods of a Queue that has been closed.
	ErrClosed = errors.New("batch: the queue is closed")
	// ErrBusy is returned by the methods of a Queue if as many callers wait as
	// MaxWaiting allows.
	ErrBusy = errors.New("batch: the queue is full")
)

// A waitlist is where callers of a Queue with signatures of one kind meet. A caller that
// finds fewer leaders than there may be becomes one: it takes those that wait longest,
// verifies their rows with its own, and leaves. If others wait then, the first of them is
// the next leader. A caller that finds enough leaders waits. So no goroutine runs when
// there are no calls, and no caller verifies more than one shared batch.
//
// This is flat combining (Hendler, Incze, Shavit and Tzafrir, SPAA 2010) without its lock:
// several leaders, there called combiners, may be at work.
type waitlist struct {
	kind      engine.Kind
	limit     int  // limit of leaders at a time
	rows      int  // limit of callers of a shared batch
	equations bool // leaders may try equations
	most      int  // limit of callers that wait; 0: no limit

	mu          sync.Mutex
	stats       Stats
	leaders     int         // also those that were told to lead, and are yet to wake up
	full        atomic.Bool // there are as many leaders as may be
	waiting     int
	first, last *request // of those that wait, in the order in which they came
	closed      bool
	empty       sync.Cond // closed, and neither leaders nor waiting

	spare    []*sharedBatch // of leaders that have left
	budget   engine.Budget
	requests sync.Pool // of callers that have

	// hurry is the age of the waitlist, in nanoseconds, before which a leader that is
	// alone does not yield for others to come. inVain counts the last times, one after
	// another, that it yielded and no caller came.
	hurry  atomic.Int64
	inVain atomic.Int32
	born   time.Time
}

// A request is what a caller that does not verify alone asks, and how it is told.
type request struct {
	row        engine.Parsed // the caller's until it waits, then that of whoever leads
	prev, next *request      // while it waits
	state      atomic.Int32
	valid      bool          // once the state is done
	wake       chan struct{} // with room for one
}

// The states of a request. From waiting and leading it goes on under the mutex of
// the waitlist; what becomes of a request that is taken, its caller and its leader
// settle with one atomic operation.
const (
	waiting   = iota // in the list
	leading          // told to be a leader
	taken            // in a leader's batch
	done             // valid is set
	abandoned        // the caller has left; the leader frees the request
)

// newWaitlist returns a waitlist for signatures of a kind, with at most limit leaders at a time and
// batches of at most rows signatures. equations says whether leaders may try equations.
func newWaitlist(kind engine.Kind, limit, rows int, equations bool, o *QueueOptions) *waitlist {
	l := &waitlist{
		kind: kind, limit: limit, rows: rows, equations: equations && !o.Exact,
		most: max(o.MaxWaiting, 0), born: time.Now(),
	}
	l.requests.New = func() any { return newRequest() }
	l.empty.L = &l.mu
	return l
}

func newRequest() *request {
	return &request{wake: make(chan struct{}, 1)}
}

// verify reports whether a row is valid. single does it alone; parse sets a
// row to the same, after which nothing of the caller's is looked at any more.
func (l *waitlist) verify(
	ctx context.Context, single func() bool, parse func(engine.Row),
) (bool, error) {
	ctx = crew.Context(ctx)
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
	verdict := engine.Parse(&r.row, parse)
	l.mu.Lock()
	switch {
	case verdict != engine.Unchecked:
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

// refuses returns whether as many wait as may, before anything is parsed.
func (l *waitlist) refuses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaders >= l.limit && !l.closed && l.isBusy()
}

// letOthersCome yields to other goroutines before a leader that is alone begins, in
// case that they are about to call: on a busy machine they could not otherwise, since
// the leaders have all of the CPU. It returns whether one came. If none did, it does not
// yield again for as long as that took, and if that happens again, for twice as long, up
// to 32 times: so a caller without company loses a thirtieth of its time at most,
// whatever else the machine has to do.
func (l *waitlist) letOthersCome() bool {
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

// wait waits for the verdict on r, which is in the list, or for being told to lead.
func (l *waitlist) wait(ctx context.Context, r *request) (bool, error) {
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

// abandon takes r out of the list, or of a leader's batch. It returns false if r is done
// already; its caller has been woken then.
func (l *waitlist) abandon(r *request) bool {
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

// lead verifies r with others from the list. The caller holds a place as a leader,
// which is given up, and r, which is freed.
func (l *waitlist) lead(r *request) bool {
	if !l.others() {
		l.letOthersCome()
	}
	l.mu.Lock()
	b := l.takeBatch()
	b.callers = append(b.callers, r)
	for l.first != nil && !b.isFull() {
		next := l.first
		l.remove(next)
		next.state.Store(taken)
		b.callers = append(b.callers, next)
	}
	n := len(b.callers)
	tryEquation := l.equations && l.budget.Pay(n)
	l.promote() // there may be work for another CPU
	l.mu.Unlock()

	malformed, holds := b.verify(l.kind, tryEquation)
	valid := r.valid
	l.requests.Put(r)
	for _, m := range b.callers[1:] {
		if m.state.CompareAndSwap(taken, done) {
			m.wake <- struct{}{}
		} else {
			l.requests.Put(m)
		}
	}

	l.mu.Lock()
	l.budget.Earn(n, malformed, holds)
	l.stats.Batches++
	l.stats.Batched += uint64(n)
	if tryEquation {
		l.stats.Equations++
		if !holds {
			l.stats.Failed++
		}
	}
	b.clear()
	l.spare = append(l.spare, b)
	l.leave()
	return valid
}

// others returns whether any caller waits.
func (l *waitlist) others() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting > 0
}

// What follows is called with the mutex held.

// isBusy returns whether as many wait as may, and counts the caller that this keeps out.
func (l *waitlist) isBusy() bool {
	busy := l.most > 0 && l.waiting >= l.most
	if busy {
		l.stats.Busy++
	}
	return busy
}

// enter takes a place as a leader, if there is one.
func (l *waitlist) enter() bool {
	if l.leaders >= l.limit {
		return false
	}
	l.leaders++
	l.full.Store(l.leaders == l.limit)
	return true
}

// leave gives up a place as a leader, to the first that waits if there is one, and the
// mutex.
func (l *waitlist) leave() {
	l.leaders--
	l.full.Store(false)
	l.promote()
	if l.closed && l.leaders == 0 {
		l.empty.Broadcast() // where there is no leader, no caller waits
	}
	l.mu.Unlock()
}

// promote makes the first that waits a leader, if one more may be.
func (l *waitlist) promote() {
	if l.first == nil || !l.enter() {
		return
	}
	r := l.first
	l.remove(r)
	r.state.Store(leading)
	r.wake <- struct{}{}
}

func (l *waitlist) append(r *request) {
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

func (l *waitlist) remove(r *request) {
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

// takeBatch returns a batch without callers, one of an earlier leader if there is one.
func (l *waitlist) takeBatch() *sharedBatch {
	if n := len(l.spare); n > 0 {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return b
	}
	return newSharedBatch(l.rows)
}

// close makes later calls return ErrClosed, and waits until no leader is left.
func (l *waitlist) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.leaders > 0 || l.waiting > 0 {
		l.empty.Wait()
	}
}
