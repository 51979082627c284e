package node

import (
	"context"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A reader reads a range of blocks, one answer after the other. It implements rows.Reader.
type reader struct {
	ctx      context.Context
	name     string // of the node
	next, to int64
	// open asks for blocks from n on, at most up to last; before is how many bytes were read so far.
	open func(ctx context.Context, n, last, before int64) (*answer, error)

	now    *answer
	first  int64 // block of now
	before int64 // bytes of the answers before now
}

// An answer is the rows of the blocks that one step asks for.
type answer struct {
	rows  rows.Reader
	taken func() int64 // bytes that were read of what the node has sent
	close func() error
	next  int64        // number of the first block that was not asked for
	done  func() error // after the end: nil if there was every block that was asked for
}

func (a *answer) end() {
	a.rows.Close()
	a.close()
}

func (r *reader) Next() (rows.Batch, error) {
	for r.now != nil || r.next <= r.to {
		b, err := r.step()
		switch {
		case r.ctx.Err() != nil:
			return stopped{}, nil // what came of it is no error of the node's
		case err != nil:
			return nil, err
		case b != nil:
			return b, nil
		}
	}
	return nil, io.EOF
}

// step returns the next batch, or nil where an answer ends.
func (r *reader) step() (rows.Batch, error) {
	if r.now == nil {
		r.first = r.next
		a, err := r.open(r.ctx, r.next, r.to, r.before)
		if err != nil {
			return nil, r.fail(err)
		}
		r.now, r.next = a, a.next
	}
	b, err := r.now.rows.Next()
	if err == io.EOF {
		if err := r.now.done(); err != nil {
			return nil, r.fail(fmt.Errorf("%s: %w", r.name, err))
		}
		r.before += r.now.taken()
		r.now.end()
		r.now = nil
		return nil, nil
	}
	if err != nil {
		return nil, r.fail(err)
	}
	return b, nil
}

// fail says at which block an error came.
func (r *reader) fail(err error) error { return fmt.Errorf("from block %d on: %w", r.first, err) }

func (r *reader) Close() error {
	if r.now != nil {
		r.now.end()
		r.now = nil
	}
	return nil
}

// A stopped is what a reader returns after a cancellation: nothing.
type stopped struct{}

func (stopped) Expand(func(*rows.Unit)) {}
func (stopped) Consumed() int64         { return 0 }
func (stopped) Size() int64             { return 0 }
