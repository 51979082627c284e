package verify

import (
	"context"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Answer verifies the rows of one reader for a program that waits for the verdicts. It calls onRow
// for each row in input order, and onBatch after the last row of each batch, all on the caller's
// goroutine. It stops at the first error of the reader, of onBatch or of the computation (a fault),
// and returns it; after that it calls neither function. If ctx is done, Answer returns its error,
// and rows read in the meantime are not answered.
//
// Answer overrides the fields Row, OnlyFailed, MaxFailures and Senders of cfg.
func Answer(ctx context.Context, cfg Config, r reading.Reader, onRow func(*Row),
	onBatch func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cfg.Row = func(r *Row) {
		if ctx.Err() == nil {
			onRow(r)
		}
	}
	cfg.OnlyFailed, cfg.MaxFailures, cfg.Senders = false, 0, false
	input := func(yield func(reading.Reader, error) bool) { yield(r, nil) }
	Run(ctx, cfg, input, &answering{ctx, cancel, onBatch})
	return context.Cause(ctx)
}

// answering is the Reporter that Answer uses. On an error it cancels the context, with the error as
// the cause. Only the first cause is kept.
type answering struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	answer func() error
}

func (a *answering) List(*Row)            {}
func (a *answering) Unreadable(err error) { a.cancel(err) }
func (a *answering) Fault(err error)      { a.cancel(err) }

func (a *answering) Progress(*Counts, int64) {
	if a.ctx.Err() != nil {
		return
	}
	if err := a.answer(); err != nil {
		a.cancel(err)
	}
}
