package batch

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/point"
)

// eventually waits until condition is true.
func eventually(l *waitlist, condition func() bool) {
	for {
		l.mu.Lock()
		ok := condition()
		l.mu.Unlock()
		if ok {
			return
		}
		runtime.Gosched()
	}
}

// bad sets row to a well-formed signature that is invalid.
func bad(row engine.Row) {
	row.SetKey(new(point.Affine).SetGenerator(), nil)
	row.SetECDSA(make([]byte, 32), (&[64]byte{31: 1, 63: 1})[:], false)
}

func never() bool { panic("a caller in company verifies alone") }

// verified calls l.verify and reports whether the answer is Valid.
func verified(
	l *waitlist, ctx context.Context, verifyAlone func() bool, setRow func(engine.Row),
) (bool, error) {
	return isValid(l.verify(ctx, false, verifyAlone, setRow))
}

// TestWaitlist checks that callers wait while the only leader works, and then share batches in the
// order of their arrival. A caller that gives up gets an error.
func TestWaitlist(t *testing.T) {
	const others = 70
	l := newECDSAWaitlist()
	begun, finish := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		ok, err := verified(l, context.Background(), func() bool {
			begun <- true
			return <-finish
		}, func(engine.Row) { panic("the row of a caller that is alone is parsed") })
		if !ok || err != nil {
			t.Error(ok, err)
		}
	})
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	var order []int
	var mu sync.Mutex
	for i := range others {
		ctx := ctx
		if i%7 != 0 {
			ctx = context.Background()
		}
		wg.Go(func() {
			ok, err := verified(l, ctx, never, bad)
			switch {
			case i%7 == 0 && !errors.Is(err, context.Canceled), i%7 != 0 && (ok || err != nil):
				t.Errorf("caller %d: %v, %v", i, ok, err)
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
		})
		eventually(l, func() bool { return l.waiting == i+1 })
	}
	cancel()
	eventually(l, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return l.waiting == others-others/7 && len(order) == others/7
	})
	finish <- true
	wg.Wait()
	if len(order) != others {
		t.Fatalf("%d callers answered", len(order))
	}
	for _, i := range order[:others/7] {
		if i%7 != 0 {
			t.Errorf("caller %d had an answer before those that gave up", i)
		}
	}
	// Now no other caller is left. The next caller must verify its signature at once, alone.
	if ok, err := verified(l, context.Background(), func() bool { return true },
		func(engine.Row) { t.Error("parsed") }); !ok || err != nil {
		t.Error(ok, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaders != 0 || l.waiting != 0 || l.first != nil || l.last != nil || len(l.spare) != 1 {
		t.Errorf("left behind: %d leaders, %d waiting, %d batches", l.leaders, l.waiting, len(l.spare))
	}
}

// TestLeaderLeaves checks that a leader verifies one batch and leaves the callers that still wait
// to the next leader.
func TestLeaderLeaves(t *testing.T) {
	l := newECDSAWaitlist()
	n := l.rows + 5
	var requests []*request
	l.mu.Lock()
	l.leaders = 1
	for range n {
		r := l.requests.Get().(*request)
		engine.Parse(&r.row, bad)
		l.append(r)
		requests = append(requests, r)
	}
	own := l.requests.Get().(*request)
	engine.Parse(&own.row, bad)
	l.mu.Unlock()
	if l.lead(own).verdict == Valid {
		t.Error("valid")
	}
	for i, r := range requests {
		state, awake := r.state.Load(), len(r.wake) == 1
		switch {
		case i < l.rows-1:
			if state != done || !awake || r.answer.verdict == Valid {
				t.Errorf("request %d, in the batch: state %d", i, state)
			}
		case i == l.rows-1:
			if state != leading || !awake {
				t.Errorf("request %d, the next to lead: state %d", i, state)
			}
		default:
			if state != waiting || awake {
				t.Errorf("request %d, waiting: state %d", i, state)
			}
		}
	}
	if l.leaders != 1 || l.waiting != 5 {
		t.Errorf("%d leaders, %d waiting", l.leaders, l.waiting)
	}
}

// TestFairness checks that requests are served in the order of their arrival, even if many more
// come later: a request waits for no more batches than the requests before it fill. One goroutine
// plays all callers, so that the test does not depend on the scheduler.
func TestFairness(t *testing.T) {
	l := newECDSAWaitlist()
	most := l.rows
	var queued []*request // unanswered requests in the order of arrival
	join := func(n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for range n {
			r := l.requests.New().(*request) // not from the pool, so that no request is used twice
			engine.Parse(&r.row, bad)
			l.append(r)
			queued = append(queued, r)
		}
	}
	join(5*most + 3)
	l.leaders = 1
	leader := l.requests.New().(*request)
	engine.Parse(&leader.row, bad)
	answers := 0
	for newcomers := 2 * most; leader != nil; newcomers /= 2 {
		join(newcomers)
		l.lead(leader)
		others := min(most-1, len(queued))
		for i, r := range queued[:others] {
			if r.state.Load() != done || len(r.wake) != 1 || r.answer.verdict == Valid {
				t.Fatalf("after %d answers, request %d has none", answers, i)
			}
		}
		answers += others + 1
		queued, leader = queued[others:], nil
		if len(queued) > 0 {
			leader, queued = queued[0], queued[1:]
			if leader.state.Load() != leading {
				t.Fatalf("after %d answers, the first request does not lead", answers)
			}
			<-leader.wake
		}
		for i, r := range queued {
			if r.state.Load() != waiting {
				t.Fatalf("after %d answers, request %d does not wait", answers, i)
			}
		}
	}
	if l.leaders != 0 || l.waiting != 0 || answers < 9*most {
		t.Errorf("%d answers; left are %d leaders, %d waiting", answers, l.leaders, l.waiting)
	}
}

// TestBusy checks that a caller is refused and counted if MaxWaiting callers wait already, and that
// with Exact no equation is tried.
func TestBusy(t *testing.T) {
	q := NewQueue(&QueueOptions{MaxWaiting: 2, Workers: 1, Exact: true, S: AnyS})
	l := q.ecdsa
	if l.most != 2 || q.schnorr.equations || q.schnorr.most != 2 ||
		!NewQueue(&QueueOptions{S: AnyS}).schnorr.equations {
		t.Fatal("the options are lost")
	}
	begun, finish := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		verified(l, context.Background(), func() bool { begun <- true; return <-finish }, bad)
	})
	<-begun
	for i := range 2 {
		wg.Go(func() {
			if ok, err := verified(l, context.Background(), never, bad); ok || err != nil {
				t.Error(ok, err)
			}
		})
		eventually(l, func() bool { return l.waiting == i+1 })
	}
	for range 3 {
		if ok, err := verified(l, context.Background(), never,
			func(engine.Row) { t.Error("parsed") }); ok || !errors.Is(err, ErrBusy) {
			t.Error(ok, err)
		}
	}
	_, s := q.Stats()
	if s.Waiting != 2 || s.Busy != 3 {
		t.Errorf("%+v", s)
	}
	finish <- true
	wg.Wait()
	yes := func() bool { return true }
	if ok, err := verified(l, context.Background(), yes, bad); !ok || err != nil {
		t.Error(ok, err)
	}
	if _, s := q.Stats(); s != (Stats{Alone: 2, Batches: s.Batches, Batched: 2, Busy: 3}) ||
		s.Batches == 0 {
		t.Errorf("%+v", s)
	}
}

// TestAbandon checks that a caller can give up in each of the states of a request.
func TestAbandon(t *testing.T) {
	l := newECDSAWaitlist()
	l.leaders = 1
	first, second, third := l.requests.Get().(*request), l.requests.Get().(*request),
		l.requests.Get().(*request)
	for _, r := range []*request{first, second, third} {
		engine.Parse(&r.row, bad)
		l.append(r)
	}
	if !l.abandon(second) || l.waiting != 2 || l.first != first || first.next != third ||
		third.prev != first {
		t.Error("waiting")
	}
	// The caller of the request named first is asked to lead, but gives up. So the caller of the
	// request named third must lead.
	l.mu.Lock()
	l.leave()
	if first.state.Load() != leading || l.leaders != 1 {
		t.Fatal("not promoted")
	}
	if !l.abandon(first) || third.state.Load() != leading || len(third.wake) != 1 ||
		len(first.wake) != 0 || l.leaders != 1 || l.waiting != 0 {
		t.Error("leading")
	}
	third.state.Store(taken)
	if !l.abandon(third) || third.state.Load() != abandoned {
		t.Error("taken")
	}
	third.state.Store(done) // the channel wake still holds its value
	if l.abandon(third) || len(third.wake) != 0 {
		t.Error("done")
	}
}

// TestHurry checks that a leader that meets no other caller does not yield to other goroutines
// every time.
func TestHurry(t *testing.T) {
	l := newECDSAWaitlist()
	for range 20 {
		before, since := l.hurry.Load(), int64(time.Since(l.born))
		l.letOthersCome()
		after := l.hurry.Load()
		//layers:allow the order of readings of one clock
		if before > int64(time.Since(l.born)) && after != before || before <= since && after <= since {
			t.Errorf("at %d not before %d, then %d", since, before, after)
		}
	}
	// If other callers wait, the leader yields.
	r := l.requests.Get().(*request)
	l.append(r)
	l.hurry.Store(0)
	if !l.letOthersCome() || l.hurry.Load() != 0 {
		t.Error("it does not yield, though others wait")
	}
}

// TestMalformedAtOnce checks that a caller with a malformed row gets its answer at once, without a
// batch, both if it would have to wait and if it would become a leader.
func TestMalformedAtOnce(t *testing.T) {
	l := newECDSAWaitlist()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	malformed := func(row engine.Row) {
		row.SetKey(nil, nil)
		cancel() // if the call waited, it would return this context's error
	}
	l.enter()
	if ok, err := verified(l, ctx, never, malformed); ok || err != nil || l.waiting != 0 {
		t.Errorf("beside a leader: %v, %v, %d waiting", ok, err, l.waiting)
	}

	r := l.requests.Get().(*request)
	engine.Parse(&r.row, bad)
	l.append(r)
	l.leaders = 0
	l.full.Store(false)
	if ok, err := verified(l, context.Background(), never, malformed); ok || err != nil {
		t.Errorf("before one that waits: %v, %v", ok, err)
	}
	if r.state.Load() != leading || l.leaders != 1 || l.stats.Batches != 0 {
		t.Errorf("the first that waits is in state %d, of %d leaders, after %d batches",
			r.state.Load(), l.leaders, l.stats.Batches)
	}
}

// TestCallerPanics checks that a caller whose arguments cannot be read, and who recovers from the
// panic, is no leader afterwards, so that others need not wait forever.
func TestCallerPanics(t *testing.T) {
	l := newECDSAWaitlist()
	panics := func(what string, leaders int) {
		t.Helper()
		defer func() {
			if recover() == nil || l.leaders != leaders || l.waiting != 0 {
				t.Errorf("%s: no panic, or %d leaders, want %d, and %d wait", what, l.leaders, leaders,
					l.waiting)
			}
		}()
		verified(l, context.Background(),
			func() bool { panic("a mapped file that became shorter") },
			func(engine.Row) { panic("a mapped file that became shorter") })
	}
	panics("alone", 0)
	l.enter()
	panics("beside a leader", 1)
	r := l.requests.Get().(*request)
	engine.Parse(&r.row, bad)
	l.append(r)
	l.leaders = 0
	l.full.Store(false)
	panics("before one that waits", 1)
	if r.state.Load() != leading {
		t.Errorf("the one that waits is in state %d", r.state.Load())
	}
}

// newECDSAWaitlist returns a waitlist with one leader at a time and the settings that a Queue uses
// for ECDSA.
func newECDSAWaitlist() *waitlist {
	_, rows := engine.QueueRows()
	return newWaitlist(engine.ECDSA, 1, rows, false, new(QueueOptions))
}
