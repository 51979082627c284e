package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A call holds the arguments for a queue's method: a row with its key parsed.
type call struct {
	row
	key *koblitz.PublicKey
	x   *koblitz.XOnlyPublicKey
	sig *ecdsa.Signature // nil if malformed
}

// calls returns the rows whose keys can be parsed, in the form of calls.
func calls(rows []row) (list []call) {
	for _, r := range rows {
		c := call{row: r}
		if len(r.key) == 32 {
			x, err := koblitz.ParseXOnlyPublicKey(r.key)
			if err != nil {
				continue
			}
			c.x = x
		} else {
			c.key, _ = koblitz.ParsePublicKey(r.key)
			c.sig, _ = ecdsa.ParseSignature(r.sig)
		}
		list = append(list, c)
	}
	return list
}

func (c *call) ask(ctx context.Context, q *batch.Queue) (bool, error) {
	if c.x != nil {
		return q.VerifySchnorr(ctx, c.x, c.msg, c.row.sig)
	}
	return q.VerifyECDSA(ctx, c.key, c.msg, c.sig)
}

// askBytes calls the queue's method that takes the key as bytes.
func (c *call) askBytes(ctx context.Context, q *batch.Queue) (bool, error) {
	if len(c.row.key) == 32 {
		return q.VerifySchnorrBytes(ctx, c.row.key, c.msg, c.row.sig)
	}
	return q.VerifyECDSABytes(ctx, c.row.key, c.msg, c.row.sig)
}

// TestQueue checks that calls from many goroutines, with one signature each, get the answers of the
// functions for one signature.
func TestQueue(t *testing.T) {
	list := slices.Concat(calls(schnorrRows()), calls(otherLengths()), calls(ecdsaRows()))
	shuffle(rand.New(rand.NewPCG(22, 22)), list)
	each(t, func(t *testing.T) {
		total, crowds := 1500, []int{1, 2, 3, 17, 100, 1000}
		if !cputest.Deep() {
			total, crowds = 300, []int{1, 3, 100}
		}
		for _, callers := range crowds {
			for _, workers := range []int{0, 1, 3} {
				q, low := batch.NewQueue(&batch.QueueOptions{Workers: workers,
					S: batch.AnyS}), batch.NewQueue(&batch.QueueOptions{S: batch.LowS})
				var next atomic.Int64
				var wg sync.WaitGroup
				for range callers {
					wg.Go(func() {
						for {
							i := int(next.Add(1)) - 1
							if i >= total {
								return
							}
							c := &list[i%len(list)]
							got, err := c.ask(context.Background(), q)
							if want := c.want == batch.Valid; got != want || err != nil {
								t.Errorf("%s: %v, %v, want %v", c.what, got, err, want)
							}
							got, err = c.askBytes(context.Background(), q)
							if want := c.want == batch.Valid; got != want || err != nil {
								t.Errorf("%s, bytes: %v, %v, want %v", c.what, got, err, want)
							}
							got, err = c.ask(context.Background(), low)
							if want := c.low == batch.Valid; got != want || err != nil {
								t.Errorf("%s, low s: %v, %v, want %v", c.what, got, err, want)
							}
						}
					})
				}
				wg.Wait()
				q.Close()
				low.Close()
			}
		}
	})
}

func TestQueueNothing(t *testing.T) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	k := koblitz.GenerateKey()
	for range 3 {
		for _, key := range []*koblitz.XOnlyPublicKey{nil, {}, k.XOnlyPublicKey()} {
			if ok, err := q.VerifySchnorr(context.Background(), key, nil, nil); ok || err != nil {
				t.Error(ok, err)
			}
		}
		for _, key := range []*koblitz.PublicKey{nil, {}, k.PublicKey()} {
			for _, sig := range []*ecdsa.Signature{nil, {}} {
				if ok, err := q.VerifyECDSA(context.Background(), key, nil, sig); ok || err != nil {
					t.Error(ok, err)
				}
			}
		}
	}
}

// TestQueueCancelConcurrently checks that arguments may be overwritten as soon as a call has
// returned, even if its context ended while its row was in a batch. The race detector finds
// violations.
func TestQueueCancelConcurrently(t *testing.T) {
	list := append(calls(schnorrRows()), calls(ecdsaRows())...)
	q := batch.NewQueue(&batch.QueueOptions{Workers: 2, S: batch.AnyS})
	var wg sync.WaitGroup
	var cancelled, answered atomic.Int64
	for g := range 200 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(23, uint64(g)))
			for range 30 {
				c := list[r.IntN(len(list))]
				c.msg, c.row.sig = slices.Clone(c.msg), slices.Clone(c.row.sig)
				ctx, cancel := context.WithCancel(context.Background())
				if r.IntN(2) == 0 {
					//layers:allow on a slow machine more calls are cancelled
					timer := time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel)
					defer timer.Stop()
				}
				got, err := c.ask(ctx, q)
				switch {
				case err == nil:
					answered.Add(1)
					if got != (c.want == batch.Valid) {
						t.Errorf("%s: %v", c.what, got)
					}
				case errors.Is(err, context.Canceled):
					cancelled.Add(1)
				default:
					t.Error(err)
				}
				clear(c.msg)
				clear(c.row.sig)
				cancel()
			}
		})
	}
	wg.Wait()
	t.Logf("%d answered, %d cancelled", answered.Load(), cancelled.Load())
	if answered.Load() == 0 || cancelled.Load() == 0 {
		t.Error("one of them never happened")
	}
	// The queue must still answer calls, and close.
	for i := range 100 {
		if got, err := list[i].ask(context.Background(), q); err != nil ||
			got != (list[i].want == batch.Valid) {
			t.Error(got, err)
		}
	}
	q.Close()
}

func TestQueueDoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := calls(schnorrRows())[0]
	if ok, err := c.ask(ctx, batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})); ok || !errors.Is(err,
		context.Canceled) {
		t.Error(ok, err)
	}
}

// TestQueueCloseConcurrently checks that Close waits until every waiting caller has its answer, and
// that later callers get ErrClosed.
func TestQueueCloseConcurrently(t *testing.T) {
	list := append(calls(schnorrRows()), calls(ecdsaRows())...)
	for round := range 20 {
		q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
		var wg sync.WaitGroup
		var answered, refused, running atomic.Int64
		for g := range 50 {
			wg.Go(func() {
				for i := 0; ; i++ {
					c := &list[(g*31+i)%len(list)]
					running.Add(1)
					got, err := c.ask(context.Background(), q)
					running.Add(-1)
					if errors.Is(err, batch.ErrClosed) {
						refused.Add(1)
						return
					}
					answered.Add(1)
					if err != nil || got != (c.want == batch.Valid) {
						t.Errorf("%s: %v, %v", c.what, got, err)
					}
				}
			})
		}
		for answered.Load() < int64(50*round) {
			runtime.Gosched()
		}
		var closers sync.WaitGroup
		for range 3 {
			closers.Go(q.Close)
		}
		closers.Wait()
		if _, err := list[0].ask(context.Background(), q); !errors.Is(err, batch.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		wg.Wait()
		if refused.Load() != 50 {
			t.Errorf("%d callers were refused in the end, want 50", refused.Load())
		}
	}
}

// TestQueueLeavesNothing checks that no goroutine of a queue is left after its calls, although the
// queue is not closed.
func TestQueueLeavesNothing(t *testing.T) {
	list := calls(ecdsaRows())
	synctest.Test(t, func(*testing.T) { // reports goroutines that do not end
		q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
		for g := range 100 {
			go func() {
				for i := range 5 {
					list[(g+i)%len(list)].ask(context.Background(), q)
				}
			}()
		}
	})
}

// TestQueueBytes checks that invalid encodings of keys and signatures get false, also in a shared
// batch.
func TestQueueBytes(t *testing.T) {
	var list []call
	for _, r := range slices.Concat(schnorrRows(), otherLengths(), ecdsaRows()) {
		list = append(list, call{row: r})
	}
	for _, r := range list[:3:3] { // encodings of wrong lengths
		for _, part := range []*[]byte{&r.row.key, &r.row.sig} {
			for _, n := range []int{0, 31, 63} {
				c := r
				*part = (*part)[:min(n, len(*part))]
				c.row, c.want = r.row, batch.Malformed
				list = append(list, c)
			}
		}
	}
	q := batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})
	var wg sync.WaitGroup
	for g := range 100 {
		wg.Go(func() {
			for i := g; i < len(list); i += 100 {
				if got, err := list[i].askBytes(context.Background(),
					q); got != (list[i].want == batch.Valid) || err != nil {
					t.Errorf("%s: %v, %v, want %v", list[i].what, got, err, list[i].want)
				}
			}
		})
	}
	wg.Wait()
	s, e := q.Stats()
	t.Logf("%+v\n%+v", s, e)
	if s.Alone+s.Batched == 0 || e.Alone+e.Batched == 0 || s.Waiting+e.Waiting != 0 ||
		s.Batched < s.Batches || s.Failed > s.Equations || s.Equations > s.Batches {
		t.Error("the numbers do not fit together")
	}
}

// TestQueueAllocations checks that a lone caller of a queue allocates nothing.
func TestQueueAllocations(t *testing.T) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for _, c := range slices.Concat(calls(schnorrRows())[:5], calls(otherLengths())[:5],
		calls(ecdsaRows())[:5]) {
		if n := testing.AllocsPerRun(20, func() {
			c.ask(context.Background(), q)
			if c.want == batch.Valid { // otherwise the error of a parser may take memory
				c.askBytes(context.Background(), q)
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// A questioned context calls a function for each call of Err.
type questioned struct {
	context.Context
	err func() error
}

func (q questioned) Err() error { return q.err() }

// TestQueueLongMessages checks that a call with a long message takes no place in the queue while it
// hashes the message, and that it asks its context meanwhile.
func TestQueueLongMessages(t *testing.T) {
	k, msg, hash := koblitz.GenerateKey(), make([]byte, 1<<20+1), make([]byte, 32)
	x := k.XOnlyPublicKey()
	sign := func(msg []byte) []byte {
		sig, err := schnorr.Sign(k, msg, nil)
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	sig, other := sign(msg), sign(hash)
	for name, ask := range map[string]func(q *batch.Queue, ctx context.Context) (bool, error){
		"VerifySchnorr": func(q *batch.Queue, ctx context.Context) (bool, error) {
			return q.VerifySchnorr(ctx, x, msg, sig)
		},
		"VerifySchnorrBytes": func(q *batch.Queue, ctx context.Context) (bool, error) {
			return q.VerifySchnorrBytes(ctx, x.Bytes(), msg, sig)
		},
	} {
		q := batch.NewQueue(&batch.QueueOptions{Workers: 1, MaxWaiting: 1})
		times := 0
		// If the call had the only place, the other call would wait for it for ever.
		valid, err := ask(q, questioned{context.Background(), func() error {
			times++
			if valid, err := q.VerifySchnorr(context.Background(), x, hash, other); !valid || err != nil {
				t.Errorf("%s, another call meanwhile: %v, %v", name, valid, err)
			}
			return nil
		}})
		if !valid || err != nil || times < 5 {
			t.Errorf("%s: %v, %v; the context was asked %d times", name, valid, err, times)
		}
		before, _ := q.Stats()
		for n := range times {
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(int64(n))
			if valid, err := ask(q, ctx); valid || err != errDone {
				t.Errorf("%s, cancelled after %d questions: %v, %v", name, n, valid, err)
			}
		}
		if after, _ := q.Stats(); after != before {
			t.Errorf("%s: cancelled calls have verified something: %+v, %+v", name, before, after)
		}
		valid, err = ask(q, questioned{context.Background(), func() error {
			q.Close()
			return nil
		}})
		if valid || err != batch.ErrClosed {
			t.Errorf("%s, closed while it hashes: %v, %v", name, valid, err)
		}
		if valid, err = ask(q, questioned{context.Background(), func() error {
			t.Errorf("%s: a closed queue hashes", name)
			return nil
		}}); valid || err != batch.ErrClosed {
			t.Errorf("%s, closed: %v, %v", name, valid, err)
		}
	}
}
