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

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A call holds the arguments for a queue's methods: a row, and its key and signature as far as they
// can be parsed.
type call struct {
	row
	bip340 bool
	key    *koblitz.PublicKey
	x      *koblitz.XOnlyPublicKey
	sig    *ecdsa.Signature
}

// calls returns rows of one kind, the kind of the first one, as calls.
func calls(rows []row) (list []call) {
	for _, r := range rows {
		c := call{row: r, bip340: len(rows[0].key) == 32}
		c.x, _ = koblitz.ParseXOnlyPublicKey(r.key)
		c.key, _ = koblitz.ParsePublicKey(r.key)
		c.sig, _ = ecdsa.ParseSignature(r.sig)
		list = append(list, c)
	}
	return list
}

// queueCalls returns all rows as calls, and rows with keys and signatures of wrong lengths.
func queueCalls() []call {
	s, e := slices.Concat(schnorrRows(), otherLengths()), slices.Concat(ecdsaRows(), otherHashes())
	for _, rows := range []*[]row{&s, &e} {
		for _, r := range (*rows)[:3:3] {
			for _, n := range []int{0, 31, 63} {
				*rows = append(*rows,
					row{what: "short key", key: r.key[:min(n, 31)], msg: r.msg, sig: r.sig},
					row{what: "short signature", key: r.key, msg: r.msg, sig: r.sig[:n]})
			}
		}
	}
	return append(calls(s), calls(e)...)
}

// ask calls the queue's method for parsed keys. If the key cannot be parsed, it is nil.
func (c *call) ask(ctx context.Context, q *batch.Queue) (bool, error) {
	if c.bip340 {
		return q.VerifySchnorr(ctx, c.x, c.msg, c.row.sig)
	}
	return q.VerifyECDSA(ctx, c.key, c.msg, c.sig)
}

// askBytes calls the queue's method that takes the key as bytes.
func (c *call) askBytes(ctx context.Context, q *batch.Queue) (bool, error) {
	if c.bip340 {
		return q.VerifySchnorrBytes(ctx, c.row.key, c.msg, c.row.sig)
	}
	return q.VerifyECDSABytes(ctx, c.row.key, c.msg, c.row.sig)
}

// TestQueue checks that calls from many goroutines, with one signature each, get the answers of the
// functions for one signature, and that the counts of the queue fit together.
func TestQueue(t *testing.T) {
	list := queueCalls()
	shuffle(rand.New(rand.NewPCG(22, 22)), list)
	each(t, func(t *testing.T) {
		total, crowds := 1500, []int{1, 2, 3, 17, 100, 1000}
		if !cputest.Deep() {
			total, crowds = 300, []int{1, 3, 100}
		}
		for _, callers := range crowds {
			for _, workers := range []int{0, 1, 3} {
				q := batch.NewQueue(&batch.QueueOptions{Workers: workers, S: batch.AnyS})
				low := batch.NewQueue(&batch.QueueOptions{S: batch.LowS})
				check := func(what string, c *call, want batch.Verdict, got bool, err error) {
					if got != (want == batch.Valid) || err != nil {
						t.Errorf("%s, %s: %v, %v, want %v", c.what, what, got, err, want)
					}
				}
				var next atomic.Int64
				var wg sync.WaitGroup
				for range callers {
					wg.Go(func() {
						for i := next.Add(1); i <= int64(total); i = next.Add(1) {
							c := &list[int(i)%len(list)]
							got, err := c.ask(context.Background(), q)
							check("parsed", c, c.want, got, err)
							got, err = c.askBytes(context.Background(), q)
							check("bytes", c, c.want, got, err)
							got, err = c.ask(context.Background(), low)
							check("low s", c, c.low, got, err)
						}
					})
				}
				wg.Wait()
				q.Close()
				low.Close()
				s, e := q.Stats()
				if s.Alone+s.Batched == 0 || e.Alone+e.Batched == 0 || s.Waiting+e.Waiting != 0 ||
					s.Batched < s.Batches || s.Failed > s.Equations || s.Equations > s.Batches {
					t.Errorf("the numbers do not fit together: %+v, %+v", s, e)
				}
			}
		}
	})
}

// TestQueueNothing checks that nil arguments and zero values get false.
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

// TestQueueConcurrently checks calls from many goroutines, some of which are cancelled, while the
// queue is closed. Arguments may be overwritten as soon as a call has returned, even if its context
// ended while its row was in a batch: the race detector finds violations. Close waits until every
// waiting caller has its answer, and later callers get ErrClosed.
func TestQueueConcurrently(t *testing.T) {
	const callers = 50
	list := queueCalls()
	for round := range 20 {
		q := batch.NewQueue(&batch.QueueOptions{Workers: 1 + round%3, S: batch.AnyS})
		var wg, closers sync.WaitGroup
		var answered atomic.Int64
		for g := range callers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(g)))
				for closed := false; !closed; {
					c := list[r.IntN(len(list))]
					c.msg, c.row.sig = slices.Clone(c.msg), slices.Clone(c.row.sig)
					ctx, cancel := context.WithCancel(context.Background())
					switch wait := r.IntN(100); {
					case wait < 10:
						cancel()
					case wait < 50:
						go func() {
							for range wait {
								runtime.Gosched()
							}
							cancel()
						}()
					}
					got, err := c.ask(ctx, q)
					closed = errors.Is(err, batch.ErrClosed)
					if want := err == nil && c.want == batch.Valid; got != want ||
						err != nil && !closed && !errors.Is(err, context.Canceled) {
						t.Errorf("%s: %v, %v, want %v", c.what, got, err, want)
					}
					if err == nil {
						answered.Add(1)
					}
					clear(c.msg)
					clear(c.row.sig)
					cancel()
				}
			})
		}
		for answered.Load() < int64(callers*round) {
			runtime.Gosched()
		}
		for range 3 {
			closers.Go(q.Close)
		}
		closers.Wait()
		if _, err := list[0].ask(context.Background(), q); !errors.Is(err, batch.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		wg.Wait()
	}
}

// TestQueueLeavesNothing checks that no goroutine of a queue is left after its calls, although the
// queue is not closed.
func TestQueueLeavesNothing(t *testing.T) {
	list := queueCalls()
	synctest.Test(t, func(*testing.T) { // reports goroutines that do not end
		q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
		for g := range 100 {
			go func() {
				for i := range 5 {
					list[(g*31+i)%len(list)].ask(context.Background(), q)
				}
			}()
		}
	})
}

// TestQueueAllocations checks that a lone caller of a queue allocates nothing.
func TestQueueAllocations(t *testing.T) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for _, c := range queueCalls() {
		if c.want != batch.Valid { // the error of a parser may take memory
			continue
		}
		if n := testing.AllocsPerRun(2, func() {
			c.ask(context.Background(), q)
			c.askBytes(context.Background(), q)
		}); n != 0 {
			t.Errorf("%s: %v allocations", c.what, n)
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
	sig := reference.Must(schnorr.Sign(k, msg, nil))
	other := reference.Must(schnorr.Sign(k, hash, nil))
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
		meanwhile := func(err func() error) (bool, error) {
			return ask(q, questioned{context.Background(), err})
		}
		// If the call had the only place, the other call would wait for it for ever.
		valid, err := meanwhile(func() error {
			times++
			if valid, err := q.VerifySchnorr(context.Background(), x, hash, other); !valid || err != nil {
				t.Errorf("%s, another call meanwhile: %v, %v", name, valid, err)
			}
			return nil
		})
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
		if valid, err = meanwhile(func() error { q.Close(); return nil }); valid ||
			err != batch.ErrClosed {
			t.Errorf("%s, closed while it hashes: %v, %v", name, valid, err)
		}
		if valid, err = meanwhile(func() error {
			t.Errorf("%s: a closed queue hashes", name)
			return nil
		}); valid || err != batch.ErrClosed {
			t.Errorf("%s, closed: %v, %v", name, valid, err)
		}
	}
}
