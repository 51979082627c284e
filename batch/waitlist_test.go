package batch

import (
	"context"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/point"
)

// FuzzWaitlist compares a waitlist with a model whose callers are goroutines. The tests below hold
// states that such callers pass too quickly: one goroutine plays all callers.

// bad sets row to a well-formed signature that is invalid.
func bad(row *engine.Record) {
	row.SetKey(new(point.Affine).SetGenerator())
	row.SetECDSA(make([]byte, 32), (&[64]byte{31: 1, 63: 1})[:])
}

// newECDSAWaitlist returns a waitlist with one leader at a time and the settings that a Queue uses
// for ECDSA.
func newECDSAWaitlist() *waitlist {
	_, rows := engine.QueueRows()
	return newWaitlist(engine.ECDSA, 1, rows, false, new(QueueOptions))
}

// join adds n requests to the list, as callers do that must wait.
func (l *waitlist) join(n int) (list []*request) {
	for range n {
		r := l.requests.New().(*request) // not from the pool, so that no request is used twice
		bad(&r.row)
		l.append(r)
		list = append(list, r)
	}
	return list
}

// verified calls l.verify and reports whether the answer is Valid.
func verified(
	l *waitlist, ctx context.Context, row *engine.Record,
) (bool, error) {
	return onlyVerdict(l.verify(ctx, false, row))
}

// TestFairness checks that a leader verifies one batch and leaves the callers that still wait to
// the next leader, and that requests are served in the order of their arrival, even if many more
// come later: a request waits for no more batches than the requests before it fill.
func TestFairness(t *testing.T) {
	l := newECDSAWaitlist()
	most := l.rows
	queued := l.join(5*most + 3) // unanswered requests in the order of arrival
	l.leaders = 1
	leader := l.requests.New().(*request)
	bad(&leader.row)
	answers := 0
	for newcomers := 2 * most; leader != nil; newcomers /= 2 {
		queued = append(queued, l.join(newcomers)...)
		if l.lead(leader).verdict == Valid {
			t.Error("valid")
		}
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
			if leader.state.Load() != leading || len(leader.wake) != 1 {
				t.Fatalf("after %d answers, the first request does not lead", answers)
			}
			<-leader.wake
		}
		for i, r := range queued {
			if r.state.Load() != waiting || len(r.wake) != 0 {
				t.Fatalf("after %d answers, request %d does not wait", answers, i)
			}
		}
	}
	if l.leaders != 0 || l.waiting != 0 || answers < 9*most || len(l.spare) != 1 {
		t.Errorf("%d answers; left are %d leaders, %d waiting, %d batches", answers, l.leaders,
			l.waiting, len(l.spare))
	}
}

// TestAbandon checks that a caller can give up in each of the states of a request.
func TestAbandon(t *testing.T) {
	l := newECDSAWaitlist()
	l.leaders = 1
	list := l.join(3)
	first, second, third := list[0], list[1], list[2]
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
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.wait(forgetful{ended}, l.join(1)[0]); err != context.Canceled {
		t.Errorf("no answer, and the error %v", err)
	}
}

// A forgetful context may have ended, but its Err returns nil, although package context forbids it.
type forgetful struct{ context.Context }

func (forgetful) Err() error { return nil }

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
	l.join(1)
	l.hurry.Store(0)
	if !l.letOthersCome() || l.hurry.Load() != 0 {
		t.Error("it does not yield, though others wait")
	}
}

// TestRefusedRows checks that a caller whose row has no key gets its answer at once, without a
// batch, and that another caller that waits then becomes the leader.
func TestRefusedRows(t *testing.T) {
	for what, leaders := range map[string]int{"alone": 0, "beside a leader": 1, "before others": 1} {
		l := newECDSAWaitlist()
		var r *request
		switch what {
		case "beside a leader":
			l.enter()
		case "before others":
			r = l.join(1)[0]
		}
		if ok, err := verified(l, context.Background(), new(engine.Record)); ok || err != nil {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
		if l.leaders != leaders || l.waiting != 0 || l.stats.Batches != 0 ||
			r != nil && r.state.Load() != leading {
			t.Errorf("%s: %d leaders, want %d, %d wait, %d batches", what,
				l.leaders, leaders, l.waiting, l.stats.Batches)
		}
	}
}

// TestQueueOptions checks that a queue's waitlists get its options, and their own calls.
func TestQueueOptions(t *testing.T) {
	q := NewQueue(&QueueOptions{MaxWaiting: 2, Workers: 3, Exact: true, S: AnyS})
	for _, l := range []*waitlist{q.ecdsa, q.schnorr} {
		if l.most != 2 || l.limit != 3 || l.equations {
			t.Errorf("%d callers may wait, %d leaders, equations: %v", l.most, l.limit, l.equations)
		}
	}
	q = NewQueue(&QueueOptions{S: AnyS})
	q.VerifyECDSABytes(context.Background(), nil, nil, nil)
	s, e := q.Stats()
	if !q.schnorr.equations || q.ecdsa.equations || s != (Stats{}) || e != (Stats{Alone: 1}) {
		t.Errorf("%+v, %+v after an ECDSA signature; or the wrong kind has equations", s, e)
	}
}
