package units

import (
	"fmt"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// These are upper bounds, in bytes, on the memory that a transaction takes.
const (
	// These bounds are for one input, one output and one witness item, as long as the transaction
	// is held. For an input this is a wire.TxIn, the output that it spends, pointers to both, and
	// the bytes of the input.
	PerInput        = 192
	perOutput       = 56
	PerItem         = 24
	PerInputScratch = 192 // copies of an input for the signature hashes of one input
	PerItemScratch  = 104 // the script engine's stack, as it grows, and a copy of it
)

// SpentScripts returns the total size in bytes of the scripts of the outputs that t spends.
func (t *Transaction) SpentScripts() (n int) {
	for i := range t.Spent {
		n += len(t.Spent[i].Script)
	}
	return n
}

// OverSpent returns the verdict on a transaction that spends scripts of more than
// wireform.MaxSpentScripts bytes.
func (t *Transaction) OverSpent() *Decided {
	where := t.Where
	where.Tx = t.ID.String()
	return &Decided{Where: where, Kind: "transaction", Decided: reading.Malformed,
		Reason: fmt.Sprintf("the scripts that it spends have %d bytes, more than the %d that are kept "+
			"for a transaction", t.SpentScripts(), wireform.MaxSpentScripts)}
}

// memory returns upper bounds on the memory of tx in bytes. held is the memory that tx takes as
// long as it is held. scratch is what it takes in addition while one of its inputs is judged. Both
// exclude the scripts that tx spends.
func memory(tx *wire.MsgTx) (held, scratch int) {
	items, scripts, outputs := 0, 0, 0
	for _, in := range tx.TxIn {
		items += len(in.Witness)
		scripts += len(in.SignatureScript)
	}
	for _, out := range tx.TxOut {
		outputs += len(out.PkScript)
	}
	scripts += outputs
	held = PerInput*len(tx.TxIn) + perOutput*len(tx.TxOut) + PerItem*items + outputs
	scratch = PerInputScratch*len(tx.TxIn) + 2*perOutput*len(tx.TxOut) + PerItemScratch*items +
		3*scripts
	return held, scratch
}
