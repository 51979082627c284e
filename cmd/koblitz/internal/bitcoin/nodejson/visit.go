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

// Visit calls f with each transaction of a block, except its coinbase, and the outputs that the
// transaction spends. src holds the block in JSON as Blocks reads it. found must refuse a second
// block. If Blocks would report a Malformed verdict, or if an output is not stated, Visit returns
// an error; f may have been called before.
func Visit(src rows.Source, network consensus.Network, found Found, f prevouts.Visit) (
	prevouts.Header, error) {
	r := newGetBlock(src, network, found)
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
				of = t.of
				if err := t.visit(f); err != nil {
					return prevouts.Header{}, r.json.Fail("%w", err)
				}
			}
			if p.Expand(&x); malformed != nil {
				return prevouts.Header{}, malformed
			}
		}
		r.queue = units.Queue{}
		switch {
		case err == io.EOF && of == nil:
			return prevouts.Header{}, r.json.Fail("no block in it")
		case err == io.EOF:
			return prevouts.Header{Hash: of.header.Hash, Prev: of.header.Prev}, nil
		case err != nil:
			return prevouts.Header{}, err
		}
	}
}

// visit calls f with the transaction, unless it is a coinbase.
func (t *txText) visit(f prevouts.Visit) error {
	if t.index == 0 {
		return nil
	}
	tr, err := t.parse(new(txJSON))
	if err != nil {
		return err
	}
	for i := range tr.Spent {
		if !tr.Spent[i].Known {
			return fmt.Errorf("input %d of %v: %w", i, tr.ID, errors.New(tr.Missing))
		}
	}
	return f(t.index, tr.Tx, tr.ID, tr.Spent)
}
