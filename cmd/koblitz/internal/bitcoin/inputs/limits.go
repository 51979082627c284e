package inputs

import (
	"fmt"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// How much memory a transaction takes, at most.
const (
	// for as long as it is held: wire.TxIn, the output it spends, pointers to them, and its bytes
	PerInput        = 192
	perOutput       = 56
	PerItem         = 24
	PerInputScratch = 192 // while one of its inputs is judged: the copies that the library makes of it
	PerItemScratch  = 104 // the engine's stack, as it grows, and a copy of it
)

// SpentScripts is the number of bytes of the scripts that t spends.
func (t *Transaction) SpentScripts() (n int) {
	for i := range t.Spent {
		n += len(t.Spent[i].Script)
	}
	return n
}

// OverSpent is the error for a transaction that spends more than wireform.MaxSpentScripts.
func (t *Transaction) OverSpent() *Verdict {
	where := t.Where
	where.Tx = t.ID.String()
	return &Verdict{Where: where, Kind: "transaction", Decided: rows.Malformed,
		Reason: fmt.Sprintf("the scripts that it spends have %d bytes, more than the %d that are kept "+
			"for a transaction", t.SpentScripts(), wireform.MaxSpentScripts)}
}

// memory returns bounds on the bytes that tx takes for as long as it is held, and
// more of them while one of its inputs is judged, apart from its scripts.
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
