package batch

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/internal/engine"
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
	if !engine.EquationPays(len(b.rows)) {
		return b.accumulator.Verify()
	}
	// Without a context that can be done there is no error.
	ok, _ := b.equation.Holds(context.Background(), b.rows, b.options.workers)
	return ok
}

// VerifyEach gives every signature its verdict, in the order in which they were
// added. It overwrites verdicts[:Len()] and returns it, or another slice if there
// is not the room.
//
// It takes the equation of Verify for large parts of the batch, and verifies the
// signatures of a part for which it does not hold one by one. So a good batch
// takes about the time of Verify, and one with many bad signatures at most 1.2
// times that of verifying each.
func (b *Schnorr) VerifyEach(verdicts []Verdict) []Verdict {
	total := len(b.rows)
	verdicts = slices.Grow(verdicts[:0], total)[:total]
	rows, left := b.rows, verdicts
	spent := int64(0)
	for len(rows) > 0 {
		n := engine.NextEquation(total, len(rows), spent)
		if n == 0 {
			verifyRows(engine.Schnorr, rows, left, b.options.workers)
			break
		}
		spent += engine.SpentOnEquation(n)
		if ok, _ := b.equation.Holds(context.Background(), rows[:n], b.options.workers); ok {
			for i := range left[:n] {
				left[i] = Valid
			}
		} else {
			spent += engine.SpentExactly(n)
			verifyRows(engine.Schnorr, rows[:n], left[:n], b.options.workers)
		}
		rows, left = rows[n:], left[n:]
	}
	return verdicts
}
