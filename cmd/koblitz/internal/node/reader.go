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
	rows   reading.Reader
	text   *body
	wanted *wanted
}

// A wanted checks that a response has the requested block, once.
type wanted struct {
	name string // name of the block in errors
	came bool
}

// found records a block of the response, called got.
func (w *wanted) found(got string) error {
	switch {
	case got != w.name:
		return fmt.Errorf("this is %s, and %s was asked for", got, w.name)
	case w.came:
		return fmt.Errorf("%s comes a second time", got)
	}
	w.came = true
	return nil
}

// done returns an error if the block is missing at the end of the response.
func (w *wanted) done() error {
	if !w.came {
		return fmt.Errorf("no %s in the answer", w.name)
	}
	return nil
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
	if err := r.now.wanted.done(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	r.before += r.now.text.taken.Load()
	r.next++
	return nil, r.Close()
}

// Close closes the response that is being read.
func (r *reader) Close() error {
	if r.now != nil {
		r.now.rows.Close()
		r.now.text.Close()
		r.now = nil
	}
	return nil
}

// A stopped is the empty batch that a reader returns after a cancellation.
type stopped struct{ reading.Part }

func (stopped) Expand(func(*reading.Unit)) {}
