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
// There is no goroutine behind it and no timer. A caller that finds nobody at
// work takes all that wait, up to a group, verifies them with its own, and
// returns; the next in the line does the rest. At most as many callers work at a
// time as [Workers] says, or, without it, as GOMAXPROCS said when the queue was
// made or first used, for signatures of each kind.
//
// Where many wait, BIP-340 signatures are tried by one equation for all of them,
// as in [Schnorr.Verify]: docs/batch-soundness.md says what that shows. If it does
// not hold, each is verified, and bad signatures cannot make that happen so often
// that all of it takes more than 1.2 times what it would without.
//
// A context that is done makes a waiting call return at once with its error. A
// call that is verifying, for itself or for others too, finishes first: a group
// takes a millisecond or two at most. What a call is given is not looked at after
// it returns.
//
// The zero value is a queue without options, ready to use. All methods may be
// called from any number of goroutines.
type Queue struct {
	options        options
	once           sync.Once
	schnorr, ecdsa *line // made once
}

// NewQueue returns a queue. With [LowS], VerifyECDSA is [ecdsa.VerifyLowS].
func NewQueue(opts ...QueueOption) *Queue {
	q := &Queue{options: gather(opts)}
	q.open()
	return q
}

// open makes the lines, unless they are there.
func (q *Queue) open() {
	q.once.Do(func() {
		workers := q.options.workers
		if workers < 1 {
			workers = runtime.GOMAXPROCS(0)
		}
		q.schnorr, q.ecdsa = newLine(engine.Schnorr, workers, q.options), newLine(engine.ECDSA, workers, q.options)
	})
}

// VerifySchnorr reports whether sig is a signature of msg by the key, as
// [schnorr.Verify] does. There is an error, and no answer, if ctx is done before
// there is one, if the queue is closed, or if it is full.
func (q *Queue) VerifySchnorr(ctx context.Context, key *koblitz.XOnlyPublicKey, msg, sig []byte) (bool, error) {
	q.open()
	return q.schnorr.verify(ctx,
		func() bool { return schnorr.Verify(key, msg, sig) },
		func(r *request) {
			r.row.SetKey((*keys.XOnly)(key).Affine(), nil)
			r.row.PutX(&r.unhashed.P)
			r.setSchnorr(msg, sig)
		})
}

// VerifySchnorrBytes is VerifySchnorr under the key that 32 bytes encode. It is
// cheaper than parsing the key first where callers share a batch. Under what
// koblitz.NewXOnlyPublicKey refuses no signature is valid.
func (q *Queue) VerifySchnorrBytes(ctx context.Context, key32, msg, sig64 []byte) (bool, error) {
	q.open()
	return q.schnorr.verify(ctx,
		func() bool {
			key, err := koblitz.NewXOnlyPublicKey(key32)
			return err == nil && schnorr.Verify(key, msg, sig64)
		},
		func(r *request) {
			if len(key32) != 32 {
				r.row.SetMalformed()
				return
			}
			r.unhashed.P = [32]byte(key32)
			r.row.SetKeyX(&r.unhashed.P)
			r.setSchnorr(msg, sig64)
		})
}

// setSchnorr sets a signature. The row has its key, and unhashed its x coordinate.
func (r *request) setSchnorr(msg, sig []byte) {
	r.hashed = true
	if len(sig) != 64 {
		r.row.SetMalformed()
		return
	}
	sig64 := (*[64]byte)(sig)
	if len(msg) != 32 {
		r.row.SetSchnorr(msg, sig64)
	} else if r.row.SetSchnorrSignature(sig64) {
		r.hashed = false
		r.unhashed.R, r.unhashed.Message = [32]byte(sig[:32]), [32]byte(msg)
	}
}

// VerifyECDSA reports whether sig is a signature of the hash by the key, as
// [ecdsa.Verify] does, or [ecdsa.VerifyLowS] if the queue was made with [LowS].
// There is an error, and no answer, if ctx is done before there is one, if the
// queue is closed, or if it is full.
func (q *Queue) VerifyECDSA(ctx context.Context, key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) (bool, error) {
	q.open()
	return q.ecdsa.verify(ctx,
		func() bool { return q.verifyECDSA(key, hash, sig) },
		func(r *request) {
			r.row.SetKey((*keys.Public)(key).Affine(), nil)
			setSignature(&r.row, hash, sig, q.options.lowS)
			r.hashed = true
		})
}

// VerifyECDSABytes is VerifyECDSA under the key that 33 or 65 bytes encode, with a
// signature of 64 bytes. It is cheaper than parsing the key first where callers share
// a batch. With what koblitz.NewPublicKey or ecdsa.ParseSignature refuses the answer
// is false.
func (q *Queue) VerifyECDSABytes(ctx context.Context, key, hash, sig64 []byte) (bool, error) {
	q.open()
	return q.ecdsa.verify(ctx,
		func() bool {
			parsed, err := koblitz.NewPublicKey(key)
			if err != nil {
				return false
			}
			sig, err := ecdsa.ParseSignature(sig64)
			return err == nil && q.verifyECDSA(parsed, hash, sig)
		},
		func(r *request) {
			setKey(&r.row, key)
			setBytes(&r.row, hash, sig64, q.options.lowS)
			r.hashed = true
		})
}

func (q *Queue) verifyECDSA(key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) bool {
	if q.options.lowS {
		return ecdsa.VerifyLowS(key, hash, sig)
	}
	return ecdsa.Verify(key, hash, sig)
}

// Stats are what a [Queue] has done with signatures of one kind since it was made.
type Stats struct {
	Waiting   int    // callers that wait now
	Alone     uint64 // signatures that their caller has verified alone
	Groups    uint64 // groups that were verified
	Grouped   uint64 // signatures in them
	Equations uint64 // groups that one equation was tried for
	Failed    uint64 // those for which it did not hold
	Busy      uint64 // callers that ErrBusy has kept out
}

// Stats returns what the queue has done with BIP-340 and with ECDSA signatures.
func (q *Queue) Stats() (schnorr, ecdsa Stats) {
	q.open()
	return q.schnorr.statistics(), q.ecdsa.statistics()
}

func (l *line) statistics() Stats {
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
	q.open()
	q.schnorr.close()
	q.ecdsa.close()
}
