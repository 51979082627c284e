package bitcoin

import (
	"fmt"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// How much memory a transaction takes, at most.
const (
	// for as long as it is held: wire.TxIn, the output it spends, pointers to them
	perInput        = 192
	perOutput       = 48
	perItem         = 24
	perInputScratch = 192 // while one of its inputs is judged: the copies that the library makes of it
	perItemScratch  = 104 // the engine's stack, as it grows, and a copy of it

	perBatch = 128 << 10 // for all transactions together: what is hashed at once
)

// spentScripts is the number of bytes of the scripts that t spends.
func (t *transaction) spentScripts() (n int) {
	for i := range t.spent {
		n += len(t.spent[i].script)
	}
	return n
}

// overSpent is the error for a transaction that spends more than maxSpentScripts.
func (t *transaction) overSpent() *verdict {
	where := t.where
	where.Tx = t.id.String()
	return &verdict{Where: where, Kind: "transaction", Decided: rows.Malformed,
		Reason: fmt.Sprintf("the scripts that it spends have %d bytes, more than the %d that are kept "+
			"for a transaction", t.spentScripts(), maxSpentScripts)}
}

// memory returns bounds on the bytes that tx takes for as long as it is held, and
// more of them while one of its inputs is judged, apart from its scripts.
func memory(tx *wire.MsgTx) (held, scratch int) {
	items, scripts := 0, 0
	for _, in := range tx.TxIn {
		items += len(in.Witness)
		scripts += len(in.SignatureScript)
	}
	for _, out := range tx.TxOut {
		scripts += len(out.PkScript)
	}
	held = perInput*len(tx.TxIn) + perOutput*len(tx.TxOut) + perItem*items
	scratch = perInputScratch*len(tx.TxIn) + 2*perOutput*len(tx.TxOut) + perItemScratch*items +
		3*scripts
	return held, scratch
}
