package verify

import (
	"context"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Answer verifies the rows of one reader for a program that waits for the verdicts. It calls onRow
// for each row in input order, and onBatch after the last row of each batch, with the batch, all on
// the caller's goroutine. It stops at the first error of the reader, of onBatch or of the
// computation (a fault), and returns it; after that it calls neither function. If ctx is done,
// Answer returns its error, and rows read in the meantime are not answered.
//
// Answer overrides the fields Keep and Batch of cfg.
func Answer(ctx context.Context, cfg Config, r reading.Reader, onRow func(*Row),
	onBatch func(reading.Batch) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cfg.Keep = func(*Row) bool { return true }
	cfg.Batch = func(b reading.Batch) {
		if ctx.Err() != nil {
			return
		}
		if err := onBatch(b); err != nil {
			cancel(err)
		}
	}
	Run(ctx, cfg, func(yield func(reading.Reader, error) bool) { yield(r, nil) },
		&answerer{ctx, cancel, onRow})
	return context.Cause(ctx)
}

// An answerer is the Reporter that Answer uses. On an error it cancels the context, with the error
// as the cause. Only the first cause is kept.
type answerer struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	row    func(*Row)
}

func (a *answerer) Row(r *Row) {
	if a.ctx.Err() == nil {
		a.row(r)
	}
}

func (a *answerer) Unreadable(err error)    { a.cancel(err) }
func (a *answerer) Fault(err error)         { a.cancel(err) }
func (a *answerer) Progress(*Counts, int64) {}
