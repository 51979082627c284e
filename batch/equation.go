package batch

import (
	"context"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// Verify reports whether all signatures are valid. With none, they are.
//
// It takes one equation for all of them (BIP-340, "Batch Verification"), a random
// linear combination with coefficients of 128 bits that are derived from a hash
// of all keys, messages and signatures. If all are valid the answer is always
// true. If one is not, it is false but for a probability of 2^-128 that nobody can
// improve, whoever makes the signatures; docs/batch-soundness.md has the argument.
// VerifyEach says which are not valid.
func (b *Schnorr) Verify() bool {
	b.used()
	b.pending.flush(b.rows)
	if !engine.EquationPays(len(b.rows)) {
		return b.verify(engine.Schnorr)
	}
	return b.holds(&b.equation, engine.Schnorr, b.rows)
}

// VerifyEach gives every signature its verdict, in the order in which they were
// added. It overwrites verdicts[:Len()] and returns it, or another slice if there
// is not the room.
//
// It takes the equation of Verify for large parts of the batch, and verifies the
// signatures of a part for which it does not hold one by one. So a good batch of a
// thousand or more takes little longer than Verify, one of less than a few hundred
// as long as verifying each, and one with bad signatures, however many and
// wherever, at most 1.2 times as long as that.
func (b *Schnorr) VerifyEach(verdicts []Verdict) []Verdict {
	b.used()
	b.pending.flush(b.rows)
	return b.verifyEach(&b.equation, engine.Schnorr, verdicts)
}

// Verify reports whether all signatures are valid. With none, they are. It may
// stop at the first one that is not; VerifyEach says which are.
//
// If all were added with AddRecoverable or AddRecoverableBytes, it takes one
// equation for all, as [Schnorr.Verify] does and with the same probability of
// error. If that does not hold, the signatures are verified without ids: one wrong
// id makes it take up to twice as long as no ids at all. With VerifyEach it is 1.2
// times at most.
func (b *ECDSA) Verify() bool {
	b.used()
	if b.recoverable == len(b.rows) && engine.EquationPays(len(b.rows)) && b.holds(&b.equation, engine.ECDSA, b.rows) {
		return true
	}
	// Without recovery ids, or with a wrong one, they may be valid still.
	return b.verify(engine.ECDSA)
}

// VerifyEach gives every signature its verdict, in the order in which they were
// added. It overwrites verdicts[:Len()] and returns it, or another slice if there
// is not the room. If all were added with AddRecoverable or AddRecoverableBytes,
// it does what [Schnorr.VerifyEach] does.
func (b *ECDSA) VerifyEach(verdicts []Verdict) []Verdict {
	b.used()
	if b.recoverable < len(b.rows) {
		verdicts = b.room(verdicts)
		b.verifyRows(engine.ECDSA, b.rows, verdicts)
		return verdicts
	}
	return b.verifyEach(&b.equation, engine.ECDSA, verdicts)
}

// AddRecoverable adds a signature with its recovery id, 65 bytes as
// ecdsa.SignRecoverable makes them. The verdict is that of its first 64 bytes as
// Add would give it, or Malformed if the id is above 3. A right id, of all
// signatures of a batch, makes the batch faster, and a wrong one slower.
func (b *ECDSA) AddRecoverable(key *koblitz.PublicKey, hash, sig65 []byte) {
	row := b.next()
	row.SetKey((*keys.Public)(key).Affine(), nil)
	b.setRecoverable(row, hash, sig65)
}

// AddRecoverableBytes is AddRecoverable with a key of 33 or 65 bytes, which is
// parsed as AddBytes does it.
func (b *ECDSA) AddRecoverableBytes(key, hash, sig65 []byte) {
	row := b.next()
	setKey(row, key)
	b.setRecoverable(row, hash, sig65)
}

func (b *ECDSA) setRecoverable(row *engine.Row, hash, sig65 []byte) {
	b.recoverable++
	if len(sig65) != 65 {
		row.SetMalformed()
		return
	}
	row.SetECDSARecoverable(hash, (*[65]byte)(sig65), b.options.lowS)
}

// Reset removes all signatures, and keeps the memory for others.
func (b *ECDSA) Reset() {
	b.reset()
	b.recoverable = 0
}

// holds reports whether an equation for rows holds.
func (b *accumulator) holds(e *engine.Equation, kind engine.Kind, rows []engine.Row) bool {
	ok, err := e.Holds(context.Background(), kind, rows, b.options.workers)
	return ok && err == nil
}

// verifyEach gives every row its verdict, by equations where that cannot cost too
// much.
func (b *accumulator) verifyEach(e *engine.Equation, kind engine.Kind, verdicts []Verdict) []Verdict {
	verdicts = b.room(verdicts)
	engine.VerifyEach(len(b.rows), func(lo, hi int) bool {
		ok := b.holds(e, kind, b.rows[lo:hi])
		if ok {
			for i := range verdicts[lo:hi] {
				verdicts[lo+i] = Valid
			}
		}
		return ok
	}, func(lo, hi int) { b.verifyRows(kind, b.rows[lo:hi], verdicts[lo:hi]) })
	return verdicts
}
