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

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A call holds the arguments for a queue's methods: the bytes of a row, and its key and signature
// as far as they can be parsed.
type call struct {
	key, msg, sig64 []byte
	bip340          bool
	want, low       bool // answers of queues with the rules AnyS and LowS
	x               *koblitz.XOnlyPublicKey
	public          *koblitz.PublicKey
	sig             *ecdsa.Signature
}

// queueCalls returns calls with the rows of both kinds.
func queueCalls() (list []call) {
	for _, name := range []string{"Queue, BIP-340", "Queue, ECDSA"} {
		for _, row := range kindNamed(name).all() {
			c := call{key: row.values[1], msg: row.values[0], sig64: row.values[2],
				low: row.verdict == batch.Valid, bip340: name == "Queue, BIP-340"}
			if c.want = c.low; !c.bip340 {
				c.want = judgeECDSA(false, 64, 33, 65)(row.values).verdict == batch.Valid
			}
			c.x, _ = koblitz.ParseXOnlyPublicKey(c.key)
			c.public, _ = koblitz.ParsePublicKey(c.key)
			c.sig, _ = ecdsa.ParseSignature(c.sig64)
			list = append(list, c)
		}
	}
	shuffle(rand.New(rand.NewPCG(22, 22)), list)
	return list
}

// ask calls the queue's method for parsed keys. If the key cannot be parsed, it is nil.
func (c *call) ask(ctx context.Context, q *batch.Queue) (bool, error) {
	if c.bip340 {
		return q.VerifySchnorr(ctx, c.x, c.msg, c.sig64)
	}
	return q.VerifyECDSA(ctx, c.public, c.msg, c.sig)
}

// askBytes calls the queue's method that takes the key as bytes.
func (c *call) askBytes(ctx context.Context, q *batch.Queue) (bool, error) {
	if c.bip340 {
		return q.VerifySchnorrBytes(ctx, c.key, c.msg, c.sig64)
	}
	return q.VerifyECDSABytes(ctx, c.key, c.msg, c.sig64)
}

// TestQueue checks that calls from many goroutines, with one signature each, get the answers of the
// functions for one signature, and that the counts of the queue fit together. TestRows checks the
// methods that give reasons.
func TestQueue(t *testing.T) {
	list := queueCalls()
	each(t, func(t *testing.T) {
		for i, callers := range []int{1, 2, 3, 17, 100, 1000} {
			q := batch.NewQueue(&batch.QueueOptions{Workers: i % 4, S: batch.AnyS})
			low := batch.NewQueue(&batch.QueueOptions{S: batch.LowS})
			check := func(what string, c *call, got, want bool, err error) {
				if got != want || err != nil {
					t.Errorf("%s, %x: %v, %v, want %v", what, c.sig64, got, err, want)
				}
			}
			var next atomic.Int64
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for i := next.Add(1); i <= int64(len(list)); i = next.Add(1) {
						c := &list[i-1]
						got, err := c.ask(context.Background(), q)
						check("parsed", c, got, c.want, err)
						got, err = c.askBytes(context.Background(), q)
						check("bytes", c, got, c.want, err)
						got, err = c.ask(context.Background(), low)
						check("low s", c, got, c.low, err)
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
	})
}

// TestNothing checks that nil arguments and zero values get false from a queue, and the verdict
// Malformed from an accumulator.
func TestNothing(t *testing.T) {
	q, k := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS}), koblitz.GenerateKey()
	hash := make([]byte, 32)
	s, e := batch.NewSchnorr(0, nil), batch.NewECDSA(0, batch.AnyS, nil)
	for range 3 {
		for _, key := range []*koblitz.XOnlyPublicKey{nil, {}, k.XOnlyPublicKey()} {
			if ok, err := q.VerifySchnorr(context.Background(), key, nil, nil); ok || err != nil {
				t.Error(ok, err)
			}
			s.Add(key, hash, nil)
		}
		for _, key := range []*koblitz.PublicKey{nil, {}, k.PublicKey()} {
			for _, sig := range []*ecdsa.Signature{nil, {}} {
				if ok, err := q.VerifyECDSA(context.Background(), key, nil, sig); ok || err != nil {
					t.Error(ok, err)
				}
				e.Add(key, hash, sig)
			}
		}
	}
	s.AddBytes(nil, nil, nil)
	e.AddBytes(nil, nil, nil)
	checkAll(t, s, slices.Repeat([]batch.Verdict{batch.Malformed}, 10))
	checkAll(t, e, slices.Repeat([]batch.Verdict{batch.Malformed}, 19))
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
					c.msg, c.sig64 = slices.Clone(c.msg), slices.Clone(c.sig64)
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
					if want := err == nil && c.want; got != want ||
						err != nil && !closed && !errors.Is(err, context.Canceled) {
						t.Errorf("%x: %v, %v, want %v", c.sig64, got, err, want)
					}
					if err == nil {
						answered.Add(1)
					}
					clear(c.msg)
					clear(c.sig64)
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

// TestQueueAllocations checks that a lone caller of a queue allocates nothing, unless it passes the
// encoding of a key and a message that does not have 32 bytes.
func TestQueueAllocations(t *testing.T) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for _, c := range queueCalls()[:60] {
		if !c.want { // the error of a parser may take memory
			continue
		}
		if n := testing.AllocsPerRun(20, func() {
			c.ask(context.Background(), q)
			if !c.bip340 || len(c.msg) == 32 {
				c.askBytes(context.Background(), q)
			}
		}); n != 0 {
			t.Errorf("%v allocations: a key of %d bytes, a message of %d", n, len(c.key), len(c.msg))
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
