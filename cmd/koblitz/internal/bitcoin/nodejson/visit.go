package nodejson

import (
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Visit calls f with each transaction of a block in JSON, except its coinbase, and with the outputs
// that the transaction spends. It reads the JSON as Blocks does. If Blocks would report a Malformed
// verdict, Visit returns an error; f may have been called before.
func Visit(src reading.Source, network consensus.Network, found Found, f prevouts.Visit) (
	head wireform.Header, err error) {
	r := newGetBlock(src, network, found)
	defer r.Close()
	var malformed error
	x := units.Expander{Emit: func(u *reading.Unit) {
		if u.Decided == reading.Malformed && malformed == nil {
			malformed = fmt.Errorf("%v: %s", u.Where, u.Reason)
		}
	}}
	for {
		end := r.step()
		for _, p := range r.queue.Drain() {
			if t, ok := p.(*txText); ok {
				head = t.of.header
				err = visit(t, &x, f)
			} else {
				p.Expand(&x)
			}
			switch {
			case malformed != nil:
				return head, malformed
			case err != nil:
				return head, err
			}
		}
		switch {
		case end == io.EOF:
			return head, nil
		case end != nil:
			return head, end
		}
	}
}

// visit calls f with the transaction in text, unless it is a coinbase. x emits a verdict if the
// text is malformed.
func visit(text *txText, x *units.Expander, f prevouts.Visit) error {
	t := text.read(x)
	if t == nil || wireform.IsCoinbase(t.Tx) {
		return nil
	}
	for i := range t.Spent {
		if !t.Spent[i].Known {
			return fmt.Errorf("input %d of %v: %s", i, t.ID, t.Missing)
		}
	}
	return f(text.index, t.Tx, t.ID, t.Spent)
}
