//ct:public takes public rows

package batch

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

var (
	// ErrClosed is the error that the methods of a closed Queue return.
	ErrClosed = errors.New("batch: the queue is closed")
	// ErrBusy is the error that the methods of a Queue return if MaxWaiting callers wait already.
	ErrBusy = errors.New("batch: the queue is full")
)

// A waitlist holds the callers of a Queue with signatures of one kind. A leader is a caller that
// verifies a batch for several callers. If there are fewer leaders than the limit, a caller becomes
// a leader: it takes the callers that have waited longest, verifies their rows with its own, and
// leaves. Then the first caller that still waits becomes the next leader. If there are enough
// leaders, a caller waits. So no goroutine runs without a call, and no caller verifies more than
// one shared batch.
//
// This is flat combining (Hendler, Incze, Shavit and Tzafrir, SPAA 2010), but with several leaders
// (called combiners in the paper) at a time, and so without the paper's lock.
type waitlist struct {
	kind      engine.Kind
	rules     device.Rules
	isValid   func(engine.Record) bool // verifies one row without a batch; a pointer would escape
	limit     int                      // greatest number of leaders at a time
	rows      int                      // greatest number of callers of a shared batch
	equations bool                     // whether leaders may try equations
	most      int                      // greatest number of waiting callers; 0: no limit

	mu          sync.Mutex
	stats       Stats
	leaders     int      // number of leaders, including those that have not woken up yet
	waiting     int      // number of requests in the list
	first, last *request // ends of the list of waiting requests, in the order of their calls
	closed      bool
	empty       sync.Cond // signalled when the waitlist is closed and has no leaders

	spare    []*sharedBatch // batches of leaders that have left
	budget   engine.Budget
	requests sync.Pool // of *request

	// hurry is the time, in nanoseconds since the time in the field born, before which a leader
	// does not yield to other goroutines if no other caller waits. inVain counts the consecutive
	// times that a leader yielded and no caller came.
	hurry  atomic.Int64
	inVain atomic.Int32
	born   time.Time
}

// An answer is the verdict on one row and the reason for it.
type answer struct {
	verdict Verdict
	reason  engine.Reason
}

// A request holds the row of a caller that takes part in a shared batch, and delivers the answer to
// the caller.
type request struct {
	row        engine.Record // read by the leader while the caller waits
	prev, next *request      // neighbours in the list of waiting requests
	state      atomic.Int32
	answer     answer        // once the state is done
	wake       chan struct{} // wakes the caller; its buffer has room for one value
}

// These are the states of a request. Changes from waiting and leading need the mutex of the
// waitlist. From taken, either the leader sets done or the caller sets abandoned, by
// compare-and-swap.
const (
	waiting   = iota // the request is in the list
	leading          // the caller must become a leader
	taken            // the request is in the batch of a leader
	done             // the field answer is set
	abandoned        // the caller has left, and the leader frees the request
)

// newWaitlist returns a waitlist for signatures of the given kind. It has at most maxLeaders
// leaders at a time, and a shared batch has at most maxRows signatures. tryEquations says whether
// leaders may try equations.
func newWaitlist(
	kind engine.Kind, maxLeaders, maxRows int, tryEquations bool, o *QueueOptions,
) *waitlist {
	l := &waitlist{
		kind: kind, limit: maxLeaders, rows: maxRows, equations: tryEquations && !o.Exact,
		most: max(o.MaxWaiting, 0), born: time.Now(),
	}
	if kind == engine.ECDSA {
		l.rules, _ = o.S.rules() // no call without a rule comes here
	}
	l.isValid = func(r engine.Record) bool { return r.IsValid(kind, l.rules) }
	l.requests.New = func() any { return &request{wake: make(chan struct{}, 1)} }
	l.empty.L = &l.mu
	return l
}

// verify returns the answer for a caller's signature, which row holds. A lone caller verifies it
// without a batch, and so finds no reason, unless explain is set: then it uses a batch of one row.
// A row without a key does not wait for others.
func (l *waitlist) verify(
	ctx context.Context, explain bool, row *engine.Record,
) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return answer{}, ErrClosed
	}
	leader := l.enter()
	if leader && l.waiting == 0 && !explain {
		l.mu.Unlock()
		if !l.letOthersCome() {
			return l.verifyAlone(row), nil
		}
		l.mu.Lock()
	}
	why := row.WithoutKey()
	switch {
	case !leader && l.refuseIfBusy():
		l.mu.Unlock()
		return answer{}, ErrBusy
	case why != engine.NoReason && leader:
		l.leave()
		return answer{why.Verdict(), why}, nil
	case why != engine.NoReason:
		l.mu.Unlock()
		return answer{why.Verdict(), why}, nil
	}
	r := l.requests.Get().(*request)
	r.row = *row
	if leader {
		l.mu.Unlock()
		return l.lead(r), nil
	}
	l.append(r)
	l.mu.Unlock()
	return l.wait(ctx, r)
}

// verifyAlone returns the answer for a row without a batch. The caller must be a leader; when
// verifyAlone returns, it is not a leader any more.
func (l *waitlist) verifyAlone(row *engine.Record) answer {
	a := answer{verdict: Invalid}
	if l.isValid(*row) {
		a.verdict = Valid
	}
	l.mu.Lock()
	l.stats.Alone++
	l.leave()
	return a
}

// refusal returns ErrClosed or ErrBusy if a call must return it now.
func (l *waitlist) refusal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return ErrClosed
	case l.leaders >= l.limit && l.refuseIfBusy():
		return ErrBusy
	}
	return nil
}

// letOthersCome yields to other goroutines before a leader begins for which no other caller waits.
// Some goroutines may be about to call: on a busy machine they cannot while leaders use all CPUs.
// letOthersCome reports whether a caller came. If none came, leaders do not yield again for as long
// as the yield took. With each further yield in vain this pause doubles, up to 32 times the yield.
// So callers that never meet another caller lose at most a thirtieth of their time.
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

// wait waits until the request r, which is in the list, has its answer or its caller becomes a
// leader. It returns the answer.
func (l *waitlist) wait(ctx context.Context, r *request) (answer, error) {
	if quit := ctx.Done(); quit == nil {
		<-r.wake
	} else {
		select {
		case <-r.wake:
		case <-quit:
			if left := l.abandon(r); left {
				return answer{}, cmp.Or(ctx.Err(), context.Canceled) // an error even if Err is nil
			}
		}
	}
	if r.state.Load() == leading {
		return l.lead(r), nil
	}
	a := r.answer
	l.requests.Put(r)
	return a, nil
}

// abandon removes the request r from the list, or from the batch of a leader. It returns false if r
// already has its answer; in that case abandon has received the value from r.wake.
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

// lead verifies the request r together with requests from the list, and returns the answer for r.
// The caller must be a leader; when lead returns, it is not a leader any more, and r is freed.
func (l *waitlist) lead(r *request) answer {
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
	mayTry := l.equations && l.budget.Pay(n)
	l.promote() // another CPU may be idle
	l.mu.Unlock()

	malformed, tried, holds := b.verify(l.kind, l.rules, mayTry)
	a := r.answer
	l.requests.Put(r)
	for _, m := range b.callers[1:] {
		if m.state.CompareAndSwap(taken, done) {
			m.wake <- struct{}{}
		} else {
			l.requests.Put(m)
		}
	}

	l.mu.Lock()
	if mayTry {
		l.budget.Settle(n, tried, holds)
	}
	l.budget.Earn(n, malformed)
	l.stats.Batches++
	l.stats.Batched += uint64(n)
	if tried > 0 {
		l.stats.Equations++
		if !holds {
			l.stats.Failed++
		}
	}
	b.clear()
	l.spare = append(l.spare, b)
	l.leave()
	return a
}

// others reports whether any caller waits in the list.
func (l *waitlist) others() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting > 0
}

// The functions below must be called with the mutex held.

// refuseIfBusy reports whether a call must be refused because the greatest number of callers wait.
// If so, it counts the call.
func (l *waitlist) refuseIfBusy() bool {
	busy := l.most > 0 && l.waiting >= l.most
	if busy {
		l.stats.Busy++
	}
	return busy
}

// enter adds a leader. It returns false if the number of leaders has reached its limit.
func (l *waitlist) enter() bool {
	if l.leaders >= l.limit {
		return false
	}
	l.leaders++
	return true
}

// leave removes a leader, makes the first waiting caller a leader if any caller waits, and unlocks
// the mutex.
func (l *waitlist) leave() {
	l.leaders--
	l.promote()
	if l.closed && l.leaders == 0 {
		l.empty.Broadcast() // without leaders no caller waits
	}
	l.mu.Unlock()
}

// promote makes the first waiting caller a leader, unless the number of leaders has reached its
// limit.
func (l *waitlist) promote() {
	if l.first == nil || !l.enter() {
		return
	}
	r := l.first
	l.remove(r)
	r.state.Store(leading)
	r.wake <- struct{}{}
}

// append adds the request r to the end of the list.
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

// remove removes the request r from the list.
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

// takeBatch returns a batch without callers. It reuses the batch of an earlier leader if there is
// one.
func (l *waitlist) takeBatch() *sharedBatch {
	if n := len(l.spare); n > 0 {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return b
	}
	return newSharedBatch(l.rows)
}

// close makes later calls return ErrClosed. It waits until no leader and no waiting caller is left.
func (l *waitlist) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.leaders > 0 || l.waiting > 0 {
		l.empty.Wait()
	}
}
