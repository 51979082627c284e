package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A worker verifies some of its rows a second time, singly, although a batch has given each
// its verdict and its reason has been found: a batch is a program of its own, with
// instructions that a single verification does not use, and should it ever say something else
// (a fault of the CPU, or of the program) then a report must not be built upon it. How many
// rows are verified twice is bounded, whatever the input is.

const (
	// firstLooks is how many rows of each of the two streams a worker looks at again before
	// it begins to choose: a quarter of a millisecond.
	firstLooks = 16
	// badEvery and goodEvery are of how many rows, not valid and valid, one is looked at
	// again. A single verification costs as much as six rows of a batch, or ten of an
	// equation: at most 3 % and 1 % are added.
	badEvery  = 256
	goodEvery = 1024
)

// A sampler chooses from a stream of rows: the first ones, and then of each every one that
// cannot be told beforehand.
type sampler struct {
	every int
	seen  int64
	at    int // which one of the present ones
}

// take reports whether the next row of the stream is chosen.
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

// A distrust is set as soon as one worker finds that a batch said something else than the
// single road. From then on no worker uses batches.
type distrust struct{ atomic.Bool }

// judge gives every entry that is a row of a block its result, and looks at some a second
// time. If a batch has been wrong, here or at another worker, all of them are verified singly.
func (w *worker) judge(ctx context.Context) {
	for i := range w.entries {
		e := &w.entries[i]
		if e.row < 0 {
			continue
		}
		e.result = w.rowResult(e)
		if e.result.verdict == rows.Unchecked {
			if ctx.Err() != nil {
				continue // not reached before the cancellation
			}
		} else if !w.sampleOf(e).take() {
			continue
		}
		w.looks++
		if again := w.single(e); again != e.result {
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

// sampleOf returns the stream that a row of a block belongs to.
func (w *worker) sampleOf(e *entry) *sampler {
	if e.block.verdicts[e.row] == batch.Valid {
		return &w.good
	}
	return &w.bad
}

// single verifies a row of a block on the single road.
func (w *worker) single(e *entry) result {
	digest, key, sig := e.block.row(e.row)
	u := rows.Unit{
		Scheme:     e.scheme,
		Compact:    true,
		Signatures: []rows.Signature{{Digest: digest, Sig: sig}},
		Keys:       [][]byte{key},
		Sender:     e.sender,
	}
	return w.v.verify(&u)[0]
}

// fault says that the result of an entry is another than that of the single road.
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
