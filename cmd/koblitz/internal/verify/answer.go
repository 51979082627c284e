package verify

import (
	"context"
	"fmt"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Answer verifies the rows of one reader for a program that waits for the verdicts. It calls onRow
// for each row in input order, and onBatch after the last row of each batch, with the batch, all on
// the caller's goroutine. It stops at the first error of the reader, of onBatch or of the
// computation (a fault), and returns it; after that it calls neither function. If ctx is done,
// Answer returns its error, and rows read in the meantime are not answered.
//
// Answer overrides the fields Row, OnlyFailed and Senders of cfg.
func Answer(ctx context.Context, cfg Config, r reading.Reader, onRow func(*Row),
	onBatch func(reading.Batch) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cfg.Row = func(r *Row) {
		if ctx.Err() == nil {
			onRow(r)
		}
	}
	cfg.OnlyFailed, cfg.Senders = false, false
	a := &answering{Reader: r, ctx: ctx, cancel: cancel, answer: onBatch}
	Run(ctx, cfg, func(yield func(reading.Reader, error) bool) { yield(a, nil) }, a)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if n := len(a.pending); n > 0 {
		return fmt.Errorf("%d batches without an answer", n)
	}
	return nil
}

// answering is the Reader and the Reporter that Answer uses. On an error it cancels the context,
// with the error as the cause. Only the first cause is kept.
type answering struct {
	reading.Reader
	ctx    context.Context
	cancel context.CancelCauseFunc
	answer func(reading.Batch) error

	mu      sync.Mutex
	pending []reading.Batch // batches without an answer, oldest first
}

// Next implements reading.Reader.
func (a *answering) Next() (reading.Batch, error) {
	b, err := a.Reader.Next()
	if err == nil {
		a.mu.Lock()
		a.pending = append(a.pending, b)
		a.mu.Unlock()
	}
	return b, err
}

func (a *answering) List(*Row)            {}
func (a *answering) Unreadable(err error) { a.cancel(err) }
func (a *answering) Fault(err error)      { a.cancel(err) }

func (a *answering) Progress(*Counts, int64) {
	if a.ctx.Err() != nil {
		return
	}
	a.mu.Lock()
	b := a.pending[0]
	a.pending = a.pending[1:]
	a.mu.Unlock()
	if err := a.answer(b); err != nil {
		a.cancel(err)
	}
}
