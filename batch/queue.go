package batch

import (
	"context"
	"runtime"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A Queue is for many goroutines that verify one signature each, and wait for
// the answer: a relay, a mempool, the peers of a node. Those that call at the
// same time share a batch without knowing of each other, and each gets the
// answer that the single function would give. A goroutine that is alone verifies
// alone, at once, at the cost of a microsecond.
//
// There is no goroutine behind it and no timer. A caller that finds no other at work
// takes those that wait, up to 512, verifies their signatures with its own, and returns;
// the next that waits does the rest. At most as many callers work at a time as Options.Workers
// says, or, without it, as GOMAXPROCS said when the queue was made or first used, for
// signatures of each kind.
//
// Where many wait, BIP-340 signatures are tried by one equation for all of them,
// as in [Schnorr.VerifyAll]: docs/batch-soundness.md says what that shows. If it does
// not hold, each is verified. A budget keeps such equations rare, so that all that the
// queue does, whatever the signatures are, takes at most 1.2 times (as measured) what it
// would take without equations.
//
// A context that is done makes a waiting call return at once with its error. A
// call that is verifying, for itself or for others too, finishes first, which
// takes a millisecond or two at most. What a call is given is not looked at after
// it returns.
//
// The zero value is a queue without options, ready to use. A nil Queue acts as a closed
// queue. All methods may be called from any number of goroutines.
type Queue struct {
	options        QueueOptions
	once           sync.Once
	schnorr, ecdsa *waitlist // made once
}

// QueueOptions say how a Queue works. A nil *QueueOptions is the same as the zero value.
type QueueOptions struct {
	// Workers and Exact are as in [Options]. A queue uses no device.
	Workers int
	Exact   bool

	// MaxWaiting is the greatest number of callers that may wait for signatures of one kind.
	// Further callers get [ErrBusy]. If it is below 1, there is no limit.
	MaxWaiting int

	// S is the rule for ECDSA signatures. If it is neither AnyS nor LowS, VerifyECDSA and
	// VerifyECDSABytes return an error.
	S SRule
}

// NewQueue returns an open queue. It copies *o.
func NewQueue(o *QueueOptions) *Queue {
	q := new(Queue)
	if o != nil {
		q.options = *o
	}
	q.open()
	return q
}

// open makes the waitlists, unless they are there. A nil queue has none, and it returns
// false.
func (q *Queue) open() bool {
	if q == nil {
		return false
	}
	q.once.Do(func() {
		workers := q.options.Workers
		if workers < 1 {
			workers = runtime.GOMAXPROCS(0)
		}
		schnorrRows, ecdsaRows := engine.QueueRows()
		q.schnorr = newWaitlist(engine.Schnorr, workers, schnorrRows, true, &q.options)
		// Without recovery ids ECDSA signatures have no equation.
		q.ecdsa = newWaitlist(engine.ECDSA, workers, ecdsaRows, false, &q.options)
	})
	return true
}

// VerifySchnorr reports whether sig is a signature of msg by the key, as
// [schnorr.Verify] does. There is an error, and no answer, if ctx is done before
// there is one, if the queue is closed, or if it is full.
func (q *Queue) VerifySchnorr(
	ctx context.Context, key *koblitz.XOnlyPublicKey, msg, sig []byte,
) (bool, error) {
	if !q.open() {
		return false, ErrClosed
	}
	return q.schnorr.verify(ctx,
		func() bool { return schnorr.Verify(key, msg, sig) },
		func(row engine.Row) {
			row.SetKey((*keys.XOnly)(key).Affine(), nil)
			row.SetSchnorr(msg, sig)
		})
}

// VerifySchnorrBytes is VerifySchnorr under the key that 32 bytes encode. It is
// cheaper than parsing the key first where callers share a batch. Under what
// koblitz.ParseXOnlyPublicKey refuses no signature is valid.
func (q *Queue) VerifySchnorrBytes(ctx context.Context, key32, msg, sig64 []byte) (bool, error) {
	if !q.open() {
		return false, ErrClosed
	}
	return q.schnorr.verify(ctx,
		func() bool {
			key, err := koblitz.ParseXOnlyPublicKey(key32)
			return err == nil && schnorr.Verify(key, msg, sig64)
		},
		func(row engine.Row) {
			setKeyX(row, key32)
			row.SetSchnorr(msg, sig64)
		})
}

// VerifyECDSA reports whether sig is a signature of the hash by the key, as
// [ecdsa.Verify] does, or [ecdsa.VerifyLowS] if the queue was made with the rule LowS.
// There is an error, and no answer, if the queue was made without a rule, if ctx is done
// before there is one, if the queue is closed, or if it is full.
func (q *Queue) VerifyECDSA(
	ctx context.Context, key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature,
) (bool, error) {
	if !q.open() {
		return false, ErrClosed
	}
	if _, err := q.options.S.rules(); err != nil {
		return false, err
	}
	return q.ecdsa.verify(ctx,
		func() bool { return q.verifyECDSA(key, hash, sig) },
		func(row engine.Row) {
			row.SetKey((*keys.Public)(key).Affine(), nil)
			setSignature(row, hash, sig, q.options.S == LowS)
		})
}

// VerifyECDSABytes is VerifyECDSA under the key that 33 or 65 bytes encode, with a
// signature of 64 bytes. It is cheaper than parsing the key first where callers share
// a batch. With what koblitz.ParsePublicKey or ecdsa.ParseSignature refuses the answer
// is false.
func (q *Queue) VerifyECDSABytes(ctx context.Context, key, hash, sig64 []byte) (bool, error) {
	if !q.open() {
		return false, ErrClosed
	}
	if _, err := q.options.S.rules(); err != nil {
		return false, err
	}
	return q.ecdsa.verify(ctx,
		func() bool {
			parsed, err := koblitz.ParsePublicKey(key)
			if err != nil {
				return false
			}
			sig, err := ecdsa.ParseSignature(sig64)
			return err == nil && q.verifyECDSA(parsed, hash, sig)
		},
		func(row engine.Row) {
			setKey(row, key)
			setBytes(row, hash, sig64, q.options.S == LowS)
		})
}

func (q *Queue) verifyECDSA(key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) bool {
	if q.options.S == LowS {
		return ecdsa.VerifyLowS(key, hash, sig)
	}
	return ecdsa.Verify(key, hash, sig)
}

// Stats are what a [Queue] has done with signatures of one kind since it was made.
type Stats struct {
	Waiting   int    // callers that wait now
	Alone     uint64 // signatures that their caller has verified alone
	Batches   uint64 // batches that callers have shared
	Batched   uint64 // signatures in them
	Equations uint64 // batches that one equation was tried for
	Failed    uint64 // those for which it did not hold
	Busy      uint64 // callers that ErrBusy has kept out
}

// Stats returns what the queue has done with BIP-340 and with ECDSA signatures.
func (q *Queue) Stats() (schnorr, ecdsa Stats) {
	if !q.open() {
		return Stats{}, Stats{}
	}
	return q.schnorr.statistics(), q.ecdsa.statistics()
}

func (l *waitlist) statistics() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Waiting = l.waiting
	return s
}

// Close makes all later calls return ErrClosed, and those that have parsed their
// input but not begun to wait. It returns when those that wait have their
// answers. It may be called more than once.
func (q *Queue) Close() {
	if q.open() {
		q.schnorr.close()
		q.ecdsa.close()
	}
}
