package batch

import (
	"context"
	"slices"

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
	b.pending.flush(b.rows)
	if !engine.EquationPays(len(b.rows)) {
		return b.accumulator.Verify()
	}
	return b.holds(&b.equation, b.rows)
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
	b.pending.flush(b.rows)
	return b.verifyEach(&b.equation, verdicts)
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
	if b.recoverable == len(b.rows) && engine.EquationPays(len(b.rows)) && b.holds(&b.equation, b.rows) {
		return true
	}
	// Without recovery ids, or with a wrong one, they may be valid still.
	return b.accumulator.Verify()
}

// VerifyEach gives every signature its verdict, in the order in which they were
// added. It overwrites verdicts[:Len()] and returns it, or another slice if there
// is not the room. If all were added with AddRecoverable or AddRecoverableBytes,
// it does what [Schnorr.VerifyEach] does.
func (b *ECDSA) VerifyEach(verdicts []Verdict) []Verdict {
	if b.recoverable < len(b.rows) {
		return b.accumulator.VerifyEach(verdicts)
	}
	return b.verifyEach(&b.equation, verdicts)
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
	b.accumulator.Reset()
	b.recoverable = 0
}

// holds reports whether an equation for rows holds.
func (b *accumulator) holds(e *engine.Equation, rows []engine.Row) bool {
	// Without a context that can be done there is no error.
	ok, _ := e.Holds(context.Background(), b.kind, rows, b.options.workers)
	return ok
}

// verifyEach gives every row its verdict, by equations where that cannot cost too
// much.
func (b *accumulator) verifyEach(e *engine.Equation, verdicts []Verdict) []Verdict {
	verdicts = slices.Grow(verdicts[:0], len(b.rows))[:len(b.rows)]
	engine.VerifyEach(len(b.rows), func(lo, hi int) bool {
		ok := b.holds(e, b.rows[lo:hi])
		if ok {
			for i := range verdicts[lo:hi] {
				verdicts[lo+i] = Valid
			}
		}
		return ok
	}, func(lo, hi int) { b.verifyRows(b.rows[lo:hi], verdicts[lo:hi]) })
	return verdicts
}
