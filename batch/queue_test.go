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

// queueCalls returns calls with the rows of both kinds, and calls with nil arguments and zero
// values, for which a queue must return false.
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
	k := koblitz.GenerateKey().PublicKey()
	for _, x := range []*koblitz.XOnlyPublicKey{nil, {}, k.XOnlyPublicKey()} {
		list = append(list, call{x: x, bip340: true})
	}
	for _, public := range []*koblitz.PublicKey{nil, {}, k} {
		list = append(list, call{public: public}, call{public: public, sig: new(ecdsa.Signature)})
	}
	shuffle(rand.New(rand.NewPCG(22, 22)), list)
	return list
}

// ask calls the queue's method that takes the encoded key, or the one that takes the parsed key.
func (c *call) ask(ctx context.Context, q *batch.Queue, encoded bool) (bool, error) {
	switch {
	case c.bip340 && encoded:
		return q.VerifySchnorrBytes(ctx, c.key, c.msg, c.sig64)
	case c.bip340:
		return q.VerifySchnorr(ctx, c.x, c.msg, c.sig64)
	case encoded:
		return q.VerifyECDSABytes(ctx, c.key, c.msg, c.sig64)
	}
	return q.VerifyECDSA(ctx, c.public, c.msg, c.sig)
}

// TestQueue checks that calls from many goroutines, with one signature each, get the answers of the
// functions for one signature. Some calls are cancelled, and at last the queue is closed. Arguments
// may be overwritten as soon as a call has returned, even if its context ended while its row was in
// a batch: the race detector finds violations. Close waits until every waiting caller has its
// answer, and later callers get ErrClosed. TestRows checks the methods that give reasons.
func TestQueue(t *testing.T) {
	list := queueCalls()
	each(t, func(t *testing.T) {
		for i, callers := range []int{1, 2, 3, 17, 100, 1000} {
			low := i%2 != 0
			q := batch.NewQueue(&batch.QueueOptions{Workers: i % 4, S: rule(low)})
			var next atomic.Int64
			var wg, closers sync.WaitGroup
			for g := range callers {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), uint64(g)))
					for closed := false; !closed; {
						c := list[int(next.Add(1))%len(list)]
						c.msg, c.sig64 = slices.Clone(c.msg), slices.Clone(c.sig64)
						ctx, cancel := context.WithCancel(context.Background())
						switch wait := r.IntN(100); {
						case wait < 5:
							cancel()
						case wait < 30:
							go func() {
								for range wait {
									runtime.Gosched()
								}
								cancel()
							}()
						}
						got, err := c.ask(ctx, q, r.IntN(2) == 0)
						closed = errors.Is(err, batch.ErrClosed)
						want := c.want
						if low {
							want = c.low
						}
						if got != (want && err == nil) ||
							err != nil && !closed && !errors.Is(err, context.Canceled) {
							t.Errorf("%x: %v, %v, want %v", c.sig64, got, err, want)
						}
						clear(c.msg)
						clear(c.sig64)
						cancel()
					}
				})
			}
			for next.Load() < 3*int64(len(list)) {
				runtime.Gosched()
			}
			for range 3 {
				closers.Go(q.Close)
			}
			closers.Wait()
			for _, c := range list[:20] { // calls of both kinds
				if _, err := c.ask(context.Background(), q, i%2 == 0); err != batch.ErrClosed {
					t.Errorf("after Close: %v", err)
				}
			}
			if s, e := q.Stats(); s.Alone+s.Batched == 0 || e.Alone+e.Batched == 0 ||
				s.Waiting+e.Waiting != 0 || s.Batched < s.Batches || s.Failed > s.Equations ||
				s.Equations > s.Batches || e.Equations != 0 {
				t.Errorf("the numbers do not fit together: %+v, %+v", s, e)
			}
			wg.Wait()
		}
	})
}

// TestQueueAllocations checks that a lone caller of a queue allocates nothing.
func TestQueueAllocations(t *testing.T) {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	for _, c := range queueCalls()[:60] {
		if n := testing.AllocsPerRun(20, func() {
			c.ask(context.Background(), q, false)
			c.ask(context.Background(), q, true)
		}); n != 0 {
			t.Errorf("%v allocations: a key of %d bytes, a message of %d", n, len(c.key), len(c.msg))
		}
	}
}

// A questioned context calls the function err for each call of Err.
type questioned struct {
	context.Context
	err func() error
}

func (q questioned) Err() error { return q.err() }

// TestQueueLongMessages checks that a call with a long message takes no place in the queue while it
// hashes the message, and that it asks its context meanwhile.
func TestQueueLongMessages(t *testing.T) {
	k := koblitz.GenerateKey()
	callOn := func(msg []byte) *call {
		x := k.XOnlyPublicKey()
		return &call{msg: msg, sig64: reference.Must(schnorr.Sign(k, msg, nil)), bip340: true, x: x,
			key: x.Bytes()}
	}
	long, short := callOn(make([]byte, 1<<20+1)), callOn(make([]byte, 32))
	for _, encoded := range []bool{false, true} {
		q := batch.NewQueue(&batch.QueueOptions{Workers: 1, MaxWaiting: 1})
		ask := func(err func() error) (bool, error) {
			return long.ask(questioned{context.Background(), err}, q, encoded)
		}
		times := 0
		// The queue has one place. If the call took it, the other call would wait for it forever.
		valid, err := ask(func() error {
			times++
			if valid, err := short.ask(context.Background(), q, encoded); !valid || err != nil {
				t.Errorf("another call meanwhile: %v, %v", valid, err)
			}
			return nil
		})
		if !valid || err != nil || times < 5 {
			t.Errorf("%v, %v; the context was asked %d times", valid, err, times)
		}
		before, _ := q.Stats()
		for n := range times {
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(int64(n))
			if valid, err := long.ask(ctx, q, encoded); valid || err != errDone {
				t.Errorf("cancelled after %d questions: %v, %v", n, valid, err)
			}
		}
		if after, _ := q.Stats(); after != before {
			t.Errorf("cancelled calls have verified something: %+v, %+v", before, after)
		}
		valid, err = ask(func() error { q.Close(); return nil })
		if valid || err != batch.ErrClosed {
			t.Errorf("closed while it hashes: %v, %v", valid, err)
		}
		valid, err = ask(func() error { t.Error("a closed queue hashes"); return nil })
		if valid || err != batch.ErrClosed {
			t.Errorf("closed: %v, %v", valid, err)
		}
	}
}
