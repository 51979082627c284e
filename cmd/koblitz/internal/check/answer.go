package check

import (
	"context"
	"iter"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Answer verifies the rows of one reader for a program that waits for their verdicts. In the
// order of the input, on the goroutine that calls Answer, row is called for each row, and answer
// once all rows of a batch have had theirs. The first error ends it: of the reader, of answer, or
// a fault of the computation. After it neither is called. If ctx is done, its error is returned,
// and what was read meanwhile has no answer.
//
// Of cfg the fields Row, OnlyFailed, MaxFailures and Senders are set here.
func Answer(ctx context.Context, cfg Config, r rows.Reader, row func(*Row),
	answer func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &answering{ctx, cancel, answer}
	cfg.Row = func(r *Row) {
		if ctx.Err() == nil {
			row(r)
		}
	}
	if cfg.patience == 0 {
		cfg.patience = 1 // no more rows come from a program that waits for the answers to these
	}
	cfg.OnlyFailed, cfg.MaxFailures, cfg.Senders = false, 0, false
	Run(ctx, cfg, one(r), a)
	return context.Cause(ctx)
}

// one is a single input.
func one(r rows.Reader) iter.Seq2[rows.Reader, error] {
	return func(yield func(rows.Reader, error) bool) { yield(r, nil) }
}

// answering is the Reporter of Answer. An error is the cause with which ctx is cancelled: the
// first one stays.
type answering struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	answer func() error
}

func (a *answering) Failure(*Failure)     {}
func (a *answering) Sender(*Sender)       {}
func (a *answering) Unreadable(err error) { a.cancel(err) }
func (a *answering) Fault(err error)      { a.cancel(err) }

func (a *answering) Progress(*Totals, int64) {
	if a.ctx.Err() != nil {
		return
	}
	if err := a.answer(); err != nil {
		a.cancel(err)
	}
}
