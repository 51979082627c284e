package nodejson

import (
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// SpentOf returns the outputs that one block spends, from JSON as Blocks reads it. If Blocks would
// report a Malformed verdict, SpentOf returns an error.
func SpentOf(src rows.Source, network consensus.Network, found Found) (*prevouts.Spent, error) {
	r := newGetBlock(src, network, found)
	var s *prevouts.Spent
	var of *blockSum
	var malformed error
	x := units.Expander{Emit: func(u *rows.Unit) {
		if u.Decided == rows.Malformed && malformed == nil {
			malformed = fmt.Errorf("%v: %s", u.Where, u.Reason)
		}
	}}
	for {
		err := r.step()
		for _, p := range r.queue.Entries {
			if t, ok := p.Piece.(*txText); ok {
				if of != t.of {
					if of = t.of; s != nil {
						return nil, r.json.Fail("a second block: the outputs of one go to a file")
					}
					s = &prevouts.Spent{Height: t.of.where.Block, Block: t.of.header.Hash}
				}
				if err := addSpent(s, t); err != nil {
					return nil, r.json.Fail("%w", err)
				}
			}
			if p.Expand(&x); malformed != nil {
				return nil, malformed
			}
		}
		r.queue = units.Queue{}
		switch {
		case err == io.EOF && s == nil:
			return nil, r.json.Fail("no block in it")
		case err == io.EOF:
			return s, nil
		case err != nil:
			return nil, err
		}
	}
}

// addSpent adds the outputs that the transaction t spends to s.
func addSpent(s *prevouts.Spent, t *txText) error {
	if t.index == 0 {
		return nil
	}
	tr, err := t.parse(new(txJSON))
	if err != nil {
		return err
	}
	for i, o := range tr.Spent {
		if !o.Known {
			return fmt.Errorf("input %d of %v: %w", i, tr.ID, errors.New(tr.Missing))
		}
		if err := s.Append(o); err != nil {
			return err
		}
	}
	return nil
}
