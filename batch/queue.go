//ct:public takes public rows

package batch

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// A Queue serves many goroutines that verify one signature each and wait for the answer, as in a
// relay, a mempool or a node with many peers. Concurrent callers share a batch without knowing of
// each other, and each gets the answer of the function for one signature. A lone caller verifies
// its signature at once, and loses a microsecond to the queue.
//
// A Queue starts no goroutine and no timer. A caller that finds no other caller at work takes up to
// 512 waiting callers, verifies their signatures with its own, and returns; then the first caller
// that still waits does the same. For signatures of each kind, at most QueueOptions.Workers callers
// work at a time. If Workers is below 1, the limit is the value of GOMAXPROCS when the queue was
// made or first used.
//
// If many callers wait with BIP-340 signatures, the queue tries one equation for all of them, as
// [Schnorr.VerifyAll] does (docs/batch-soundness.md). If the equation does not hold, the queue
// verifies each signature. A budget keeps failing equations rare: with any signatures, all the work
// of the queue takes at most 1.2 times as long (as measured) as without equations.
//
// A context that is done makes a waiting call return at once with the context's error. A call that
// is verifying finishes first, which takes a millisecond or two at most. A message that does not
// have 32 bytes is hashed before that, while the call delays no other. After a call has returned,
// the queue does not read its arguments any more.
//
// The zero value is a queue without options, ready to use. A nil Queue acts as a closed queue. All
// methods may be called from any number of goroutines.
type Queue struct {
	options        QueueOptions
	once           sync.Once
	schnorr, ecdsa *waitlist // set once, by the method open
}

// QueueOptions say how a Queue works. A nil *QueueOptions is the same as the zero value.
type QueueOptions struct {
	// Workers and Exact have the meaning that they have in [Options]. A queue uses no device.
	Workers int
	Exact   bool

	// MaxWaiting is the greatest number of callers that may wait for signatures of one kind.
	// Further callers get [ErrBusy]. If MaxWaiting is below 1, there is no limit.
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

// open allocates the waitlists unless they exist. It returns false if q is nil.
func (q *Queue) open() bool {
	if q == nil {
		return false
	}
	q.once.Do(func() {
		schnorrRows, ecdsaRows := engine.QueueRows()
		q.schnorr = newWaitlist(engine.Schnorr, schnorrRows, &q.options)
		q.ecdsa = newWaitlist(engine.ECDSA, ecdsaRows, &q.options)
	})
	return true
}

// VerifySchnorr reports whether sig is a signature of msg by the key, as [schnorr.Verify] does. It
// returns an error, and no answer, if ctx is done first, if the queue is closed, or if it is full.
func (q *Queue) VerifySchnorr(
	ctx context.Context, key *koblitz.XOnlyPublicKey, msg, sig []byte,
) (bool, error) {
	var row engine.Record
	row.SetKey((*keys.XOnly)(key).Affine())
	return onlyVerdict(q.verifySchnorr(ctx, false, &row, msg, sig))
}

// onlyVerdict returns whether an answer is Valid, and the error.
func onlyVerdict(a answer, err error) (bool, error) { return a.verdict == Valid, err }

// VerifySchnorrBytes works like VerifySchnorr, with the 32-byte encoding key32 of an x-only key. If
// callers share a batch, that is cheaper than parsing the key first. VerifySchnorrBytes returns
// false if koblitz.ParseXOnlyPublicKey returns an error for the key.
func (q *Queue) VerifySchnorrBytes(ctx context.Context, key32, msg, sig64 []byte) (bool, error) {
	var row engine.Record
	row.SetKeyX(key32)
	return onlyVerdict(q.verifySchnorr(ctx, false, &row, msg, sig64))
}

// ExplainSchnorr works like VerifySchnorrBytes, and returns the verdict together with the reason
// why the signature is not Valid. With an error the verdict is Unchecked. A lone caller loses some
// microseconds more than with VerifySchnorrBytes.
func (q *Queue) ExplainSchnorr(
	ctx context.Context, key32, msg, sig64 []byte,
) (Verdict, Reason, error) {
	var row engine.Record
	row.SetKeyX(key32)
	a, err := q.verifySchnorr(ctx, true, &row, msg, sig64)
	return a.verdict, Reason(a.reason), err
}

// verifySchnorr verifies a BIP-340 signature under the key of row. explain has the meaning that it
// has in the method verify of a waitlist. A message that does not have 32 bytes is hashed here,
// before the call takes a place among the callers that work: a long message must not delay others.
func (q *Queue) verifySchnorr(
	ctx context.Context, explain bool, row *engine.Record, msg, sig []byte,
) (answer, error) {
	if !q.open() {
		return answer{}, ErrClosed
	}
	ctx = forkjoin.Context(ctx)
	if len(msg) != 32 {
		q.schnorr.mu.Lock()
		err := q.schnorr.refusal()
		q.schnorr.mu.Unlock()
		if err != nil {
			return answer{}, err
		}
	}
	if err := row.SetSchnorr(msg, sig, ctx.Err); err != nil {
		return answer{}, err
	}
	return q.schnorr.verify(ctx, explain, row)
}

// VerifyECDSA reports whether sig is a signature of the hash by the key, as [ecdsa.Verify] does, or
// [ecdsa.VerifyLowS] if the queue was made with the rule LowS. It returns an error, and no answer,
// if the queue was made without a rule, if ctx is done first, if the queue is closed, or if it is
// full.
func (q *Queue) VerifyECDSA(
	ctx context.Context, key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature,
) (bool, error) {
	var row engine.Record
	row.SetKey((*keys.Public)(key).Affine())
	setSignature(&row, hash, sig)
	return onlyVerdict(q.verifyECDSA(ctx, false, &row))
}

// VerifyECDSABytes works like VerifyECDSA, with a key encoded in 33 or 65 bytes and a signature of
// 64 bytes. If callers share a batch, that is cheaper than parsing the key first. VerifyECDSABytes
// returns false if koblitz.ParsePublicKey or ecdsa.ParseSignature returns an error for its
// argument.
func (q *Queue) VerifyECDSABytes(ctx context.Context, key, hash, sig64 []byte) (bool, error) {
	var row engine.Record
	row.SetEncodedKey(key)
	row.SetECDSA(hash, sig64)
	return onlyVerdict(q.verifyECDSA(ctx, false, &row))
}

// ExplainECDSA works like VerifyECDSABytes, and returns the verdict together with the reason why
// the signature is not Valid, as ExplainSchnorr does.
func (q *Queue) ExplainECDSA(
	ctx context.Context, key, hash, sig64 []byte,
) (Verdict, Reason, error) {
	var row engine.Record
	row.SetEncodedKey(key)
	row.SetECDSA(hash, sig64)
	a, err := q.verifyECDSA(ctx, true, &row)
	return a.verdict, Reason(a.reason), err
}

// verifyECDSA verifies an ECDSA signature. For explain see verifySchnorr.
func (q *Queue) verifyECDSA(
	ctx context.Context, explain bool, row *engine.Record,
) (answer, error) {
	if !q.open() {
		return answer{}, ErrClosed
	}
	if _, err := q.options.S.rules(); err != nil {
		return answer{}, err
	}
	return q.ecdsa.verify(forkjoin.Context(ctx), explain, row)
}

// Stats counts the calls, batches and equations of a [Queue] for signatures of one kind, since the
// queue was made.
type Stats struct {
	Waiting   int    // callers waiting now
	Alone     uint64 // signatures that their caller has verified alone
	Batches   uint64 // batches that callers have shared
	Batched   uint64 // signatures in shared batches
	Equations uint64 // batches for which an equation was tried
	Failed    uint64 // equations that did not hold
	Busy      uint64 // calls that returned ErrBusy
}

// Stats returns the counts for BIP-340 and for ECDSA signatures.
func (q *Queue) Stats() (schnorr, ecdsa Stats) {
	if !q.open() {
		return Stats{}, Stats{}
	}
	return q.schnorr.statistics(), q.ecdsa.statistics()
}

// Close closes the queue: later calls return ErrClosed, and so do running calls that have not begun
// to wait for a leader. Close returns when all waiting callers have their answers. It may be called
// more than once.
func (q *Queue) Close() {
	if q.open() {
		q.schnorr.close()
		q.ecdsa.close()
	}
}
