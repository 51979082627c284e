package verify

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A worker verifies some rows of a block a second time, singly. Batch verification is separate code
// that uses other instructions, so a fault of the CPU or of that code could give a wrong verdict.
// The second verification keeps such a verdict out of the report. The number of rows verified twice
// is bounded for every input, unless Config.OneByOne asks for all.

const (
	// firstLooks is the number of rows at the start of a stream that are all verified again. Each
	// worker has two streams, one of bad rows and one of good rows. Verifying these rows again
	// takes a quarter of a millisecond.
	firstLooks = 16
	// After the first rows of a stream, one of every badEvery bad rows and one of every goodEvery
	// valid rows is verified again. A single verification costs as much as six rows of an exact
	// batch, or ten rows of a batch that one equation verifies. So the second verifications take at
	// most 3 % of the time in a stream of bad rows, and 1 % in one of good rows.
	badEvery  = 256
	goodEvery = 1024
)

// A sampler selects rows of a stream. It selects each of the first firstLooks rows, and then, of
// each group of rows, one row at an unpredictable position. The field every is the size of a group.
type sampler struct {
	every int
	seen  int64
	at    int // position of the selected row in the current group
}

// take reports whether the next row of the stream is selected for a second verification.
func (s *sampler) take() bool {
	n := s.seen - firstLooks
	s.seen++
	if n < 0 {
		return true
	}
	place := int(n % int64(s.every))
	if place == 0 {
		s.at = rand.IntN(s.every)
	}
	return place == s.at
}

// judge sets the result of every entry that is a row of a block, and verifies some of these rows a
// second time: a sample, or all with Config.OneByOne. If this or another worker has found a wrong
// batch verdict, the results are those of single verification.
func (w *worker) judge(ctx context.Context) {
	if !w.batchFault.Load() {
		for _, b := range w.blocks {
			if b.n > 0 {
				w.verifyBlock(ctx, b)
			}
		}
		if w.claims.n > 0 {
			w.claims.verifyClaims(ctx)
		}
		if w.agrees(ctx) {
			return
		}
	}
	for i := range w.entries {
		if e := &w.entries[i]; e.row >= 0 {
			e.result = result{}
			if ctx.Err() == nil {
				e.result = w.single(e)
			}
		}
	}
}

// agrees sets the results of all rows from the verdicts of their blocks. It returns false if the
// second verification of a row gives another result, if a row is not valid for no reason, or if
// another worker has found such a row.
func (w *worker) agrees(ctx context.Context) bool {
	for i := range w.entries {
		e := &w.entries[i]
		if e.row < 0 {
			continue
		}
		e.result = w.rowResult(e)
		b, unchecked := e.block, e.result.verdict == reading.Unchecked
		unexplained := b.verdicts[e.row] != batch.Valid && b.reasons[e.row] == batch.NoReason
		switch {
		case ctx.Err() != nil && (unchecked || w.cfg.OneByOne):
			e.result = result{} // the row was not reached before a cancellation
			continue
		case !w.sampleOf(e).take() && !unexplained && !w.cfg.OneByOne:
			continue
		}
		w.looks++
		again, sender := w.second(e)
		said := e.result.verdict
		switch {
		case e.scheme == reading.Recover && b.verdicts[e.row] == batch.Valid:
			said = reading.Valid
		case e.scheme == reading.Schnorr && said == reading.Malformed && again == reading.Invalid:
			said = again // package schnorr does not say which signatures are malformed
		}
		if again != said || sender != e.result.sender || unexplained {
			if w.batchFault.CompareAndSwap(false, true) {
				e.job.fault = fault(e, w.single(e))
			}
			return false
		}
	}
	return !w.batchFault.Load()
}

// rowResult returns the result of entry e, whose block was verified.
func (w *worker) rowResult(e *entry) result {
	b := e.block
	switch {
	case b.verdicts[e.row] != batch.Valid:
		return b.refusal(e.row)
	case e.scheme == reading.Recover:
		return compareSender(e.sender, [20]byte(b.found[20*e.row:]))
	case e.claim < 0 || w.claims.verdicts[e.claim] == batch.Valid:
		return result{verdict: reading.Valid}
	case w.claims.verdicts[e.claim] == batch.Unchecked:
		return result{}
	}
	return invalid(reasonCommitment)
}

// sampleOf returns the sampler for the stream of entry e: bad rows or good rows.
func (w *worker) sampleOf(e *entry) *sampler {
	if e.block.verdicts[e.row] == batch.Valid {
		return &w.good
	}
	return &w.bad
}

// second verifies the row of entry e with the functions for single signatures.
func (w *worker) second(e *entry) (verdict reading.Verdict, sender [20]byte) {
	var claim reading.Commitment
	if e.claim >= 0 {
		claim = w.claims.claim(e.claim)
	}
	return verifyRow(e.block, e.row, &claim)
}

// single returns the result of entry e while batch verification is not trusted. If the row is not
// valid, package batch is asked why.
func (w *worker) single(e *entry) result {
	verdict, sender := w.second(e)
	switch {
	case verdict == reading.Valid && e.scheme == reading.Recover:
		return compareSender(e.sender, sender)
	case verdict == reading.Valid:
		return result{verdict: verdict}
	}
	one := block{scheme: e.block.scheme, lowS: e.block.lowS, keySize: e.block.keySize}
	digest, key, sig := e.block.row(e.row)
	one.add(digest[:], key, sig)
	one.verify(context.Background(), batch.Options{Workers: 1, Exact: true})
	switch r := one.refusal(0); {
	case r.verdict != reading.Unchecked:
		return r
	case e.claim >= 0:
		return result{verdict: verdict, reason: reasonCommitment}
	}
	return result{verdict: verdict}
}

// fault returns the error for an entry whose result in the batch differs from single, the result of
// verifying it alone.
func fault(e *entry, single result) error {
	say := func(r result) string {
		if r.reason == "" {
			return r.verdict.String()
		}
		return fmt.Sprintf("%v (%s)", r.verdict, r.reason)
	}
	return fmt.Errorf("%v: verified with others this is %s, and alone %s: a fault of this machine "+
		"or of this program. From here on every signature is verified alone; what was reported "+
		"before may be wrong", e.where, say(e.result), say(single))
}
