//ct:public takes public rows

package batch

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
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
	most      int                      // greatest number of waiting callers; below 1: no limit

	requests sync.Pool // of *request
	batches  sync.Pool // of *sharedBatch

	mu      sync.Mutex
	stats   Stats
	leaders int     // number of leaders, including those that have not woken up yet
	ends    request // its neighbours are the last and the first waiting request: the list is a ring
	closed  bool
	empty   sync.Cond // signalled when the waitlist is closed and has no leaders
	budget  engine.Budget

	// hurry is the time before which a leader does not yield to other goroutines if no other caller
	// waits. inVain counts the consecutive times that a leader yielded and no caller came.
	hurry  time.Time
	inVain int
}

// An answer is the verdict on one row and the reason for it.
type answer struct {
	verdict Verdict
	reason  engine.Reason
}

// A request holds the row of a caller that takes part in a shared batch, and delivers the answer to
// the caller.
type request struct {
	row        engine.Record
	prev, next *request // neighbours in the list of waiting requests, or nil
	answer     answer

	// wake gets one value when the request has left the list: true if the caller must become a
	// leader, or false once answer is set. Its buffer has room for the value, so a caller may leave
	// without receiving it.
	wake chan bool
}

// newWaitlist returns a waitlist for signatures of the given kind. A shared batch has at most the
// given number of rows.
func newWaitlist(kind engine.Kind, rows int, o *QueueOptions) *waitlist {
	l := &waitlist{kind: kind, limit: forkjoin.Limit(o.Workers), rows: rows, most: o.MaxWaiting}
	if kind == engine.ECDSA {
		l.rules, _ = o.S.rules() // no call without a rule comes here
	} else {
		l.equations = !o.Exact // ECDSA signatures without recovery ids have no equation
	}
	l.isValid = func(r engine.Record) bool { return r.IsValid(kind, l.rules) }
	l.requests.New = func() any { return &request{wake: make(chan bool, 1)} }
	l.batches.New = func() any {
		return &sharedBatch{verdicts: make([]Verdict, l.rows), reasons: make([]engine.Reason, l.rows)}
	}
	l.ends.prev, l.ends.next = &l.ends, &l.ends
	l.empty.L = &l.mu
	return l
}

// verify returns the answer for a caller's signature, which row holds. A lone caller verifies it
// without a batch, and so finds no reason, unless explain is set: then it uses a batch of one row.
// A row without a key needs no verification, and its caller gets the answer at once.
func (l *waitlist) verify(
	ctx context.Context, explain bool, row *engine.Record,
) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	l.mu.Lock()
	if err := l.refusal(); err != nil {
		l.mu.Unlock()
		return answer{}, err
	}
	if why := row.WithoutKey(); why != engine.NoReason {
		l.mu.Unlock()
		return answer{why.Verdict(), why}, nil
	}
	leader := l.enter()
	if leader && !explain && l.stats.Waiting == 0 && !l.letOthersCome() {
		l.mu.Unlock()
		a := answer{verdict: Invalid}
		if l.isValid(*row) {
			a.verdict = Valid
		}
		l.mu.Lock()
		l.stats.Alone++
		l.leave()
		l.mu.Unlock()
		return a, nil
	}
	r := l.requests.Get().(*request)
	r.row = *row
	if leader {
		l.lead(r)
	} else {
		l.append(r)
		l.mu.Unlock()
		if err := l.wait(ctx, r); err != nil {
			return answer{}, err
		}
	}
	a := r.answer
	l.requests.Put(r)
	return a, nil
}

// wait waits until the request r, which is in the list, has its answer. The caller may become a
// leader while it waits, and then lead sets the answer. If ctx ends first, wait returns an error,
// and the caller must not use r any more.
func (l *waitlist) wait(ctx context.Context, r *request) error {
	awake := false
	defer func() {
		if !awake { // also if a method of ctx panics: others may wait for r to lead
			l.abandon(r)
		}
	}()
	select {
	case lead := <-r.wake:
		awake = true
		if lead {
			l.mu.Lock()
			l.lead(r)
		}
		return nil
	case <-ctx.Done():
		return cmp.Or(ctx.Err(), context.Canceled) // an error even if Err is nil
	}
}

// abandon gives up the request r. If r is in the list, abandon removes it. If its caller was made a
// leader, abandon makes the next waiting caller, if any, a leader instead. If a leader has taken r
// for its batch, there is nothing to do.
func (l *waitlist) abandon(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.next != nil {
		l.remove(r)
		l.requests.Put(r)
	} else if len(r.wake) > 0 && <-r.wake {
		l.leave()
	}
}

// The functions below must be called with the mutex held. A function that says so unlocks it.

// refusal returns ErrClosed or ErrBusy if a call must return it now.
func (l *waitlist) refusal() error {
	switch {
	case l.closed:
		return ErrClosed
	case l.most > 0 && l.stats.Waiting >= l.most:
		l.stats.Busy++
		return ErrBusy
	}
	return nil
}

// letOthersCome yields to other goroutines, and reports whether a caller came. A leader calls it
// first if no other caller waits. Some goroutines may be about to call, but on a busy machine they
// cannot while leaders use all CPUs. If no caller came, leaders do not yield again for as long as
// the yield took. With each further yield in vain this pause doubles, up to 32 times the yield. So
// callers that never meet another caller lose at most a thirtieth of their time. The mutex is
// unlocked during the yield.
func (l *waitlist) letOthersCome() bool {
	if time.Since(l.hurry) < 0 {
		return false
	}
	before := time.Now()
	l.mu.Unlock()
	runtime.Gosched()
	l.mu.Lock()
	if l.stats.Waiting > 0 {
		l.inVain = 0
		return true
	}
	now := time.Now()
	l.hurry = now.Add(now.Sub(before) << min(l.inVain, 5))
	l.inVain++
	return false
}

// lead sets the answer of the request r and of requests from the list, and unlocks the mutex. The
// caller must be a leader; when lead returns, it is not a leader any more.
func (l *waitlist) lead(r *request) {
	if l.stats.Waiting == 0 {
		l.letOthersCome()
	}
	b := l.batches.Get().(*sharedBatch)
	b.callers = append(b.callers[:0], r)
	for l.stats.Waiting > 0 && len(b.callers) < l.rows {
		b.callers = append(b.callers, l.remove(l.ends.next))
	}
	n := len(b.callers)
	mayTry := l.equations && l.budget.Pay(n)
	l.promote() // another CPU may be idle
	l.mu.Unlock()

	malformed, tried, holds := b.verify(l.kind, l.rules, mayTry)
	for _, other := range b.callers[1:] {
		other.wake <- false
	}
	clear(b.callers)
	l.batches.Put(b)

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
	l.leave()
	l.mu.Unlock()
}

// enter adds a leader. It returns false if the number of leaders has reached its limit.
func (l *waitlist) enter() bool {
	if l.leaders >= l.limit {
		return false
	}
	l.leaders++
	return true
}

// leave removes a leader, and makes the first waiting caller a leader if any caller waits.
func (l *waitlist) leave() {
	l.leaders--
	l.promote()
	if l.closed && l.leaders == 0 {
		l.empty.Broadcast() // without leaders no caller waits
	}
}

// promote makes the first waiting caller a leader, unless the number of leaders has reached its
// limit.
func (l *waitlist) promote() {
	if l.stats.Waiting > 0 && l.enter() {
		l.remove(l.ends.next).wake <- true
	}
}

// append adds the request r to the end of the list.
func (l *waitlist) append(r *request) {
	r.prev, r.next = l.ends.prev, &l.ends
	r.prev.next, r.next.prev = r, r
	l.stats.Waiting++
}

// remove removes the request r from the list, and returns it.
func (l *waitlist) remove(r *request) *request {
	r.prev.next, r.next.prev = r.next, r.prev
	r.prev, r.next = nil, nil
	l.stats.Waiting--
	return r
}

// statistics returns the counts of the waitlist. It locks the mutex itself, as close does.
func (l *waitlist) statistics() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// close makes later calls return ErrClosed. It waits until no leader and no waiting caller is left.
func (l *waitlist) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.leaders > 0 {
		l.empty.Wait()
	}
}

// A sharedBatch holds the rows of several callers of a Queue. One of the callers, the leader,
// verifies them.
type sharedBatch struct {
	callers  []*request // the callers that share the batch, the leader first
	rows     engine.Records
	verdicts []engine.Verdict
	reasons  []engine.Reason
}

// verify sets the answer of each caller's request. With tryEquation it first tries one equation for
// all rows that are not malformed, if that saves time. It returns the number of malformed rows, the
// number of rows in the equation or 0 if there was none, and whether the equation holds.
func (b *sharedBatch) verify(
	kind engine.Kind, rules device.Rules, tryEquation bool,
) (malformed, tried int, holds bool) {
	b.rows.Reset()
	for _, r := range b.callers {
		*b.rows.Add() = r.row
	}
	n := len(b.callers)
	// The context never ends, so that no row stays Unchecked: every caller must get its answer.
	// VerifyTogether returns errors only for a context that ends, so there is none.
	tried, holds, _ = b.rows.VerifyTogether(context.Background(), kind, rules, b.verdicts[:n],
		engine.Options{Exact: !tryEquation, Reasons: b.reasons[:n]})
	for i, r := range b.callers {
		r.answer = answer{b.verdicts[i], b.reasons[i]}
		if b.verdicts[i] == engine.Malformed {
			malformed++
		}
	}
	return malformed, tried, holds
}
