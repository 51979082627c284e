package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A worker verifies some rows of a block a second time, singly. Batch verification is separate code
// that uses other instructions, so a fault of the CPU or of that code could give a wrong verdict.
// The second verification keeps such a verdict out of the report. The number of rows verified twice
// is bounded for every input.

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

// A distrust is set when a worker finds that a batch verdict differs from the single verification
// of the same row. After that no worker uses batch verification.
type distrust struct{ atomic.Bool }

// judge sets the result of every entry that is a row of a block, and verifies some of these rows a
// second time: a sample, and all rows that are malformed or have no key to recover, because a batch
// does not tell the reason. Almost all of the latter fail before the costly part of a verification.
// If this or another worker has found a wrong batch verdict, judge verifies all of the rows singly.
func (w *worker) judge(ctx context.Context) {
	for i := range w.entries {
		e := &w.entries[i]
		if e.row < 0 {
			continue
		}
		e.result = w.rowResult(e)
		unexplained := e.result == result{verdict: rows.Malformed} ||
			e.result == result{verdict: rows.Invalid}
		switch {
		case e.result.verdict == rows.Unchecked && ctx.Err() != nil:
			continue // the row was not reached before a cancellation
		case e.result.verdict == rows.Unchecked || unexplained:
		case !w.sampleOf(e).take():
			continue
		}
		w.looks++
		again := w.single(e)
		if unexplained && again.verdict == e.result.verdict {
			e.result = again
		}
		if again != e.result {
			if w.lied.CompareAndSwap(false, true) {
				e.job.fault = fault(e, again)
			}
			break
		}
	}
	if !w.lied.Load() {
		return
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

// sampleOf returns the sampler for the stream of entry e: bad rows or good rows.
func (w *worker) sampleOf(e *entry) *sampler {
	if e.block.verdicts[e.row] == batch.Valid {
		return &w.good
	}
	return &w.bad
}

// single returns the result of verifying the row of entry e singly.
func (w *worker) single(e *entry) result {
	digest, key, sig := e.block.row(e.row)
	u := rows.Unit{
		Scheme:     e.scheme,
		Compact:    true,
		Signatures: []rows.Signature{{Digest: digest, Sig: sig}},
		Keys:       [][]byte{key},
		Sender:     e.sender,
	}
	if e.claim >= 0 {
		u.Commitment = w.claims.claim(e.claim)
	}
	return w.v.verify(&u)[0]
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
