package bitcoin

import (
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// SpentOf reads what the inputs of one block spend from JSON as GetBlock does. What GetBlock calls
// malformed is an error.
func SpentOf(src rows.Source, opt Options) (*Spent, error) {
	r := GetBlock(src, opt).(*getBlock)
	defer r.Close()
	var s *Spent
	var of *blockSum
	var malformed error
	x := expander{emit: func(u *rows.Unit) {
		if u.Decided == rows.Malformed && malformed == nil {
			malformed = fmt.Errorf("%v: %s", u.Where, u.Reason)
		}
	}}
	for {
		err := r.step()
		for _, p := range r.queue.pieces {
			if t, ok := p.(*txText); ok {
				if of != t.of {
					if of = t.of; s != nil {
						return nil, r.json.Fail("a second block: the outputs of one go to a file")
					}
					s = &Spent{Height: t.of.where.Block, Block: t.of.header.hash}
				}
				if err := addSpent(s, t); err != nil {
					return nil, r.json.Fail("%w", err)
				}
			}
			if p.expand(&x); malformed != nil {
				return nil, malformed
			}
		}
		r.queue = queue{}
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

// addSpent adds what a transaction spends to s.
func addSpent(s *Spent, t *txText) error {
	if t.index == 0 {
		return nil
	}
	tr, err := t.parse(new(txJSON))
	if err != nil {
		return err
	}
	for i, o := range tr.spent {
		if !o.known {
			return fmt.Errorf("input %d of %v: %w", i, tr.id, errors.New(tr.missing))
		}
		if err := s.append(o); err != nil {
			return err
		}
	}
	return nil
}
