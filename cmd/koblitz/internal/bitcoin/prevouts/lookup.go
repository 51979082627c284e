package prevouts

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// LookupAtOnce is the maximum number of transactions in one call of a TxLookup.
const LookupAtOnce = 16

// A TxLookup returns the serialized transactions with the given ids, in the same order. It is
// called with at most LookupAtOnce ids.
type TxLookup func(ids []chainhash.Hash) ([][]byte, error)

// SpentBy finds the outputs that the inputs of raw, a serialized block, spend: in the block itself,
// and in transactions that ask returns. It trusts neither source. Each transaction from ask must
// hash to its id, and the transactions of the block to the Merkle root in its header. height is -1
// if unknown. name is the source's name in errors.
func SpentBy(name string, raw []byte, height int32, n consensus.Network, ask TxLookup) (*Spent,
	error) {
	p, err := searchOf(raw, height, n)
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
		s.Outputs = append(s.Outputs, Output{Amount: o.Amount, Script: o.Script})
	}
	return s, nil
}

// A search collects the outputs that a block's inputs spend.
type search struct {
	block   chainhash.Hash
	spent   []wireform.Output
	scripts int // total size in bytes of the scripts in spent

	ids  []chainhash.Hash             // ids of the transactions still to ask for
	want map[chainhash.Hash][]prevout // the outputs wanted from each transaction
}

// A prevout is a spent output that is still to be found.
type prevout struct {
	index uint32 // index of the output in its transaction
	at    int    // index in search.spent
}

func searchOf(raw []byte, height int32, n consensus.Network) (*search, error) {
	start := wireform.Cursor{Data: raw}
	if start.Bytes(wireform.HeaderSize, "the header"); start.Err != nil {
		return nil, start.Err
	}
	h := wireform.ParseHeader(raw)
	if err := n.Refuse(&h); err != nil {
		return nil, err
	}
	p := &search{block: h.Hash, want: make(map[chainhash.Hash][]prevout)}
	own := make(map[wireform.Outpoint]wireform.Output)
	var all consensus.Body
	c := consensus.ReadBlock(raw, &all)
	for i := range c.Txs {
		t := c.Next()
		if t == nil {
			return nil, fmt.Errorf("byte %d: transaction %d of %d: %w", c.Err.At, i, c.Txs, c.Err)
		}
		if i > 0 {
			for _, in := range t.Tx.TxIn {
				if err := p.add(wireform.OutpointOf(in), own); err != nil {
					return nil, err
				}
			}
		}
		for k, out := range t.Tx.TxOut {
			own[wireform.Outpoint{Tx: t.ID, Index: uint32(k)}] = wireform.Output{Known: true,
				Amount: out.Value, Script: out.PkScript}
		}
	}
	if c.Err != nil {
		return nil, c.Err
	}
	if why := all.Flaws(n, &h, height); why != "" {
		return nil, errors.New(why)
	}
	if c.At < len(raw) {
		return nil, fmt.Errorf("%d bytes after its last transaction", len(raw)-c.At)
	}
	return p, nil
}

// add adds the output that the block's next input spends, given by its outpoint o. The map own has
// the outputs of the block itself. If it contains o, add takes the output from there; otherwise add
// notes that the node must be asked for it.
func (p *search) add(o wireform.Outpoint, own map[wireform.Outpoint]wireform.Output) error {
	at := len(p.spent)
	p.spent = append(p.spent, wireform.Output{})
	if out, ok := own[o]; ok {
		return p.set(at, out.Amount, out.Script)
	}
	if p.want[o.Tx] == nil {
		p.ids = append(p.ids, o.Tx)
	}
	p.want[o.Tx] = append(p.want[o.Tx], prevout{o.Index, at})
	return nil
}

// take stores the wanted outputs of the transaction with the given id. raw is its serialization.
func (p *search) take(id chainhash.Hash, raw []byte) error {
	c := wireform.Cursor{Data: raw}
	tx, is := wireform.ParseTx(&c)
	switch {
	case c.Err != nil:
		return fmt.Errorf("byte %d: %w", c.Err.At, c.Err)
	case is != id:
		return fmt.Errorf("the answer hashes to %v", is)
	case c.At < len(raw):
		return fmt.Errorf("%d bytes after its end", len(raw)-c.At)
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

// set stores the output that the input with the given index spends. It enforces the same limits as
// Read.
func (p *search) set(index int, amount int64, script []byte) error {
	switch p.scripts += len(script); {
	case amount < 0 || amount > 21e14:
		return fmt.Errorf("the block spends an output of %d satoshi", amount)
	case len(script) > txscript.MaxScriptSize:
		return fmt.Errorf("the block spends an output whose script of %d bytes can never be spent",
			len(script))
	case p.scripts > wireform.MaxSpentScripts:
		return fmt.Errorf("the scripts that the block spends have more than %d bytes",
			wireform.MaxSpentScripts)
	}
	p.spent[index] = wireform.Output{Known: true, Amount: amount, Script: script}
	return nil
}
