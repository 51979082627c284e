package batch

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
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
	return newWaitlist(engine.ECDSA, rows, &QueueOptions{Workers: 1})
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
		l.mu.Lock()
		if l.lead(leader); leader.answer.verdict != Invalid {
			t.Error(leader.answer)
		}
		others := min(most-1, len(queued))
		for i, r := range queued[:others] {
			if len(r.wake) != 1 || <-r.wake || r.answer.verdict != Invalid {
				t.Fatalf("after %d answers, request %d has none", answers, i)
			}
		}
		answers += others + 1
		queued, leader = queued[others:], nil
		if len(queued) > 0 {
			leader, queued = queued[0], queued[1:]
			if len(leader.wake) != 1 || !<-leader.wake {
				t.Fatalf("after %d answers, the first request does not lead", answers)
			}
		}
		for i, r := range queued {
			if r.next == nil || len(r.wake) != 0 {
				t.Fatalf("after %d answers, request %d does not wait", answers, i)
			}
		}
	}
	if l.leaders != 0 || l.stats.Waiting != 0 || answers < 9*most {
		t.Errorf("%d answers; left are %d leaders, %d waiting", answers, l.leaders, l.stats.Waiting)
	}
}

// TestAbandon checks that a caller can give up in each of the states of a request.
func TestAbandon(t *testing.T) {
	l := newECDSAWaitlist()
	l.leaders = 1
	list := l.join(4)
	first, second, third, fourth := list[0], list[1], list[2], list[3]
	if l.abandon(second); l.stats.Waiting != 3 || l.ends.next != first || first.next != third ||
		third.prev != first {
		t.Error("waiting")
	}
	// The caller of the request named first is asked to lead, but gives up. So the caller of the
	// request named third must lead.
	l.mu.Lock()
	l.leave()
	l.mu.Unlock()
	if len(first.wake) != 1 || l.leaders != 1 {
		t.Fatal("not promoted")
	}
	if l.abandon(first); len(third.wake) != 1 || !<-third.wake || l.leaders != 1 ||
		l.stats.Waiting != 1 {
		t.Error("leading")
	}
	// The leader takes the request named fourth.
	l.remove(fourth)
	if l.abandon(fourth); l.leaders != 1 || l.stats.Waiting != 0 {
		t.Error("taken")
	}
	fourth.wake <- false
	if l.abandon(fourth); l.leaders != 1 {
		t.Error("answered")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := l.wait(forgetful{ended}, l.join(1)[0]); err != context.Canceled {
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
	l.mu.Lock()
	defer l.mu.Unlock()
	for range 20 {
		before, since := l.hurry, time.Now()
		l.letOthersCome()
		now := time.Now()
		//layers:allow the order of readings of one clock
		if before.After(now) && l.hurry != before || before.Before(since) && !l.hurry.After(since) {
			t.Errorf("at %v, not before %v, then %v", since, before, l.hurry)
		}
	}
	// If other callers wait, the leader yields.
	l.join(1)
	l.hurry = time.Time{}
	if !l.letOthersCome() || !l.hurry.IsZero() {
		t.Error("it does not yield, though others wait")
	}
}

// TestRefusedRows checks that a caller whose row has no key gets its answer at once, beside a
// leader and other callers, which it leaves as they are.
func TestRefusedRows(t *testing.T) {
	for leaders := range 2 {
		l := newECDSAWaitlist()
		l.leaders = leaders
		l.join(leaders)
		if ok, err := verified(l, context.Background(), new(engine.Record)); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		if l.leaders != leaders || l.stats != (Stats{Waiting: leaders}) {
			t.Errorf("%d leaders, want %d, %+v", l.leaders, leaders, l.stats)
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
	q.VerifyECDSABytes(context.Background(), append([]byte{2}, make([]byte, 32)...), nil, nil)
	s, e := q.Stats()
	if !q.schnorr.equations || q.ecdsa.equations || s != (Stats{}) || e != (Stats{Alone: 1}) {
		t.Errorf("%+v, %+v after an ECDSA signature; or the wrong kind has equations", s, e)
	}
}

// TestSharedBatch checks that a shared batch gives the right answers with one equation and row by
// row, that it counts rows as malformed even if only lifting the key's x coordinate finds that no
// point has it, and that it counts the rows of the equation.
func TestSharedBatch(t *testing.T) {
	b := newWaitlist(engine.Schnorr, 512, new(QueueOptions)).batches.Get().(*sharedBatch)
	for _, test := range []struct {
		n                  int
		invalid, malformed []int
		wrongLength        int // number of signatures that parsing refuses, the first of the batch
	}{
		{n: 1}, {n: 20}, {n: 100}, {n: 130},
		{1, []int{0}, nil, 0}, {64, []int{63}, nil, 0}, {150, []int{0}, nil, 0},
		{150, []int{3, 149}, nil, 0},
		{1, nil, []int{0}, 0}, {70, nil, []int{0, 7, 69}, 0}, {70, []int{1}, []int{2}, 0},
		{150, nil, nil, 20}, {150, nil, nil, 149}, {150, []int{149}, nil, 10},
	} {
		for _, together := range []bool{false, true} {
			var answers []answer
			for i := range test.n {
				// The messages have 32 to 34 bytes: challenges of 32-byte messages are hashed
				// later, in groups, and all others immediately.
				k, msg := koblitz.GenerateKey(), append(make([]byte, 30+i%3), byte(i), byte(i>>8))
				sig := reference.Must(schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true}))
				r, a := new(request), answer{verdict: Valid}
				if slices.Contains(test.invalid, i) {
					msg[0], a = 1, answer{Invalid, engine.WrongSignature}
				}
				r.row.SetKey((*keys.XOnly)(k.XOnlyPublicKey()).Affine())
				if slices.Contains(test.malformed, i) {
					r.row.SetKeyX((&[32]byte{31: 5})[:]) // no point has this x
					a = answer{Malformed, engine.KeyNotOnCurve}
				}
				if i < test.wrongLength {
					sig, a = sig[1:], answer{Malformed, engine.SignatureLength}
				}
				r.row.SetSchnorr(msg, sig, nil)
				b.callers, answers = append(b.callers, r), append(answers, a)
			}
			malformed, tried, holds := b.verify(engine.Schnorr, 0, together)
			for i, r := range b.callers {
				if r.answer != answers[i] {
					t.Errorf("%+v, together: %v: caller %d: %v", test, together, i, r.answer)
				}
			}
			want := 0
			if parsed := test.n - test.wrongLength; together && engine.EquationPays(parsed, 1) {
				want = parsed
			}
			good := test.invalid == nil && test.malformed == nil && want > 0
			if tried != want || holds != good || malformed != len(test.malformed)+test.wrongLength {
				t.Errorf("%+v, together: %v: %d tried, %v, %d malformed", test, together, tried, holds,
					malformed)
			}
			b.callers = b.callers[:0]
		}
	}
}

// TestContextThatPanics checks that a caller whose context panics leaves the list, so that it is
// never asked to lead while others wait.
func TestContextThatPanics(t *testing.T) {
	l := newECDSAWaitlist()
	l.leaders = 1
	r := l.join(1)[0]
	func() {
		defer func() { recover() }()
		l.wait(context.Context(nil), r) // its method Done panics
	}()
	if l.stats.Waiting != 0 || r.next != nil {
		t.Error("still waits")
	}
	if l.leave(); l.leaders != 0 {
		t.Error("a leader is left")
	}
}
