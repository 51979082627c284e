package node

import (
	"context"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A reader reads a range of blocks, one response after another. It implements reading.Reader.
type reader struct {
	ctx      context.Context
	name     string // the node's name
	next, to int64
	// open requests the block with the number n. before is the number of bytes read from the node
	// so far.
	open func(n, before int64) (*answer, error)

	now    *answer
	before int64 // number of bytes in the responses before now
}

// An answer is the response to the request for a block, as a reader of its rows.
type answer struct {
	rows reading.Reader
	text *body
	done func() error // called at the end; returns an error if the block is missing
}

func (a *answer) end() {
	a.rows.Close()
	a.text.Close()
}

func (r *reader) Next() (reading.Batch, error) {
	for r.now != nil || r.next <= r.to {
		b, err := r.step()
		switch {
		case r.ctx.Err() != nil:
			return new(stopped), nil // the cancellation caused the error, not the node
		case err != nil:
			return nil, fmt.Errorf("block %d: %w", r.next, err)
		case b != nil:
			return b, nil
		}
	}
	return nil, io.EOF
}

// step returns the next batch. It returns nil at the end of a response.
func (r *reader) step() (reading.Batch, error) {
	if r.now == nil {
		a, err := r.open(r.next, r.before)
		if err != nil {
			return nil, err
		}
		r.now = a
	}
	b, err := r.now.rows.Next()
	if err != io.EOF {
		return b, err
	}
	if err := r.now.done(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	r.before += r.now.text.taken.Load()
	r.next++
	return nil, r.Close()
}

// Close closes the response that is being read.
func (r *reader) Close() error {
	if r.now != nil {
		r.now.end()
		r.now = nil
	}
	return nil
}

// A stopped is the empty batch that a reader returns after a cancellation.
type stopped struct{ reading.Part }

func (stopped) Expand(func(*reading.Unit)) {}
