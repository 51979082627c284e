package node

import (
	"context"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A reader reads a range of blocks, one response after another. It implements rows.Reader.
type reader struct {
	ctx      context.Context
	name     string // the node's name
	next, to int64
	// open requests the block with the number n and as many blocks after it as fit into one
	// request, but none after the block with the number last. before is the number of bytes read
	// from the node so far.
	open func(ctx context.Context, n, last, before int64) (*answer, error)

	now    *answer
	first  int64 // number of the first block in now
	before int64 // number of bytes in the responses before now
}

// An answer is the response to one request for blocks, as a reader of their rows.
type answer struct {
	rows  rows.Reader
	taken func() int64 // returns the number of bytes read from the node
	close func() error
	next  int64        // number of the first block after the requested ones
	done  func() error // called at the end; returns an error if a requested block is missing
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
			return stopped{}, nil // the cancellation caused the error, not the node
		case err != nil:
			return nil, err
		case b != nil:
			return b, nil
		}
	}
	return nil, io.EOF
}

// step returns the next batch. It returns nil at the end of a response.
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

// fail adds the number of the first block of the current request to an error.
func (r *reader) fail(err error) error { return fmt.Errorf("from block %d on: %w", r.first, err) }

func (r *reader) Close() error {
	if r.now != nil {
		r.now.end()
		r.now = nil
	}
	return nil
}

// A stopped is the empty batch that a reader returns after a cancellation.
type stopped struct{}

func (stopped) Expand(func(*rows.Unit)) {}
func (stopped) Consumed() int64         { return 0 }
func (stopped) Size() int64             { return 0 }
