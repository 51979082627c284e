package bitcoin

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"
)

// LookupAtOnce is how many transactions a TxLookup is asked for in one call.
const LookupAtOnce = 16

// A TxLookup returns serialized transactions in the order of their ids, at most LookupAtOnce.
type TxLookup func(ids []chainhash.Hash) ([][]byte, error)

// SpentBy finds what the inputs of a serialized block of that height spend: outputs of the block
// itself, and outputs of transactions that ask returns. Neither is trusted: transactions have to
// hash to their ids, and those of the block to its header. A height of -1 is not known.
func SpentBy(name string, raw []byte, height int32, n Network, ask TxLookup) (*Spent, error) {
	p, err := prevoutsOf(raw, height, n)
	if err != nil {
		return nil, fmt.Errorf("%s: the serialized block: %w", name, err)
	}
	for len(p.ids) > 0 {
		ids := p.ids[:min(len(p.ids), LookupAtOnce)]
		p.ids = p.ids[len(ids):]
		txs, err := ask(ids)
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			if err := p.take(id, txs[i]); err != nil {
				return nil, fmt.Errorf("%s: transaction %v: %w", name, id, err)
			}
		}
	}
	s := &Spent{Name: name, Height: height, Block: p.block}
	for _, o := range p.spent {
		s.Outputs = append(s.Outputs, Output{Amount: o.amount, Script: o.script})
	}
	return s, nil
}

// prevouts are the outputs that a block's inputs spend, some of them still to be found.
type prevouts struct {
	block   chainhash.Hash
	spent   []output
	scripts int // bytes of those of spent

	ids  []chainhash.Hash             // of the transactions to be asked for
	want map[chainhash.Hash][]prevout // what is wanted of each
}

// A prevout is an output that is still to be found.
type prevout struct {
	index uint32 // in its transaction
	at    int    // in prevouts.spent
}

func prevoutsOf(raw []byte, height int32, n Network) (*prevouts, error) {
	var all body
	c := txCursor{cursor: cursor{b: raw}, body: &all}
	head := c.bytes(headerSize, "the header")
	if head == nil {
		return nil, c.err
	}
	h := parseHeader(head)
	if err := n.refuse(&h); err != nil {
		return nil, err
	}
	p := &prevouts{block: h.hash, want: make(map[chainhash.Hash][]prevout)}
	own := make(map[outpoint]output)
	txs := c.transactions()
	c.left = txs
	for i := range txs {
		t := c.next()
		if t == nil {
			return nil, fmt.Errorf("byte %d: transaction %d of %d: %w", c.err.at, i, txs, c.err)
		}
		if i > 0 {
			for _, in := range t.tx.TxIn {
				if err := p.add(outpointOf(in), own); err != nil {
					return nil, err
				}
			}
		}
		for k, out := range t.tx.TxOut {
			own[outpoint{t.id, uint32(k)}] = output{true, out.Value, out.PkScript}
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	if why := all.flaws(n, &h, height); why != "" {
		return nil, errors.New(why)
	}
	if c.i < len(raw) {
		return nil, fmt.Errorf("%d bytes after its last transaction", len(raw)-c.i)
	}
	return p, nil
}

// add adds what the next input spends.
func (p *prevouts) add(o outpoint, own map[outpoint]output) error {
	at := len(p.spent)
	p.spent = append(p.spent, output{})
	if out, ok := own[o]; ok {
		return p.set(at, out.amount, out.script)
	}
	if p.want[o.tx] == nil {
		p.ids = append(p.ids, o.tx)
	}
	p.want[o.tx] = append(p.want[o.tx], prevout{o.index, at})
	return nil
}

// take takes what is wanted of a transaction.
func (p *prevouts) take(id chainhash.Hash, raw []byte) error {
	c := cursor{b: raw}
	tx, is := parseTx(&c)
	switch {
	case c.err != nil:
		return fmt.Errorf("byte %d: %w", c.err.at, c.err)
	case is != id:
		return fmt.Errorf("the answer hashes to %v", is)
	case c.i < len(raw):
		return fmt.Errorf("%d bytes after its end", len(raw)-c.i)
	}
	for _, w := range p.want[id] {
		if int64(w.index) >= int64(len(tx.TxOut)) {
			return fmt.Errorf("it has no output %d, which the block spends", w.index)
		}
		out := tx.TxOut[w.index]
		if err := p.set(w.at, out.Value, append([]byte(nil), out.PkScript...)); err != nil {
			return err
		}
	}
	delete(p.want, id)
	return nil
}

// set notes what input number at of the block spends, within the bounds of ReadSpent.
func (p *prevouts) set(at int, amount int64, script []byte) error {
	switch p.scripts += len(script); {
	case amount < 0 || amount > 21e14:
		return fmt.Errorf("the block spends an output of %d satoshi", amount)
	case len(script) > MaxScriptSize:
		return fmt.Errorf("the block spends an output whose script of %d bytes can never be spent",
			len(script))
	case p.scripts > maxSpentScripts:
		return fmt.Errorf("the scripts that the block spends have more than %d bytes", maxSpentScripts)
	}
	p.spent[at] = output{true, amount, script}
	return nil
}
