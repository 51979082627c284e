package nodejson

import (
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Visit calls f with each transaction of a block in JSON, except its coinbase, and with the outputs
// that the transaction spends. It reads the JSON as Blocks does. If Blocks would report a Malformed
// verdict, Visit returns an error; f may have been called before.
func Visit(src rows.Source, network consensus.Network, found Found, f prevouts.Visit) (
	head prevouts.Header, err error) {
	r := newGetBlock(src, network, found)
	var malformed error
	x := units.Expander{Emit: func(u *rows.Unit) {
		if u.Decided == rows.Malformed && malformed == nil {
			malformed = fmt.Errorf("%v: %s", u.Where, u.Reason)
		}
	}}
	for {
		end := r.step()
		for _, e := range r.queue.Entries {
			t, ok := e.Piece.(*txText)
			if !ok {
				e.Expand(&x)
			} else if tr := t.read(&x); tr != nil && malformed == nil {
				head = prevouts.Header{Hash: t.of.header.Hash, Prev: t.of.header.Prev}
				malformed = visit(t.index, tr, f)
			}
			if malformed != nil {
				return head, malformed
			}
		}
		r.queue = units.Queue{}
		switch {
		case end == io.EOF:
			return head, nil
		case end != nil:
			return head, end
		}
	}
}

// visit calls f with the transaction t, unless it is a coinbase. index is its index in the block.
func visit(index int, t *units.Transaction, f prevouts.Visit) error {
	coinbase := wireform.IsCoinbase(t.Tx)
	for i, flaw := range t.Flaws {
		if flaw == "" && !coinbase && !t.Spent[i].Known {
			flaw = t.Missing
		}
		if flaw != "" {
			return fmt.Errorf("input %d of %v: %w", i, t.ID, errors.New(flaw))
		}
	}
	if coinbase {
		return nil
	}
	return f(index, t.Tx, t.ID, t.Spent)
}
