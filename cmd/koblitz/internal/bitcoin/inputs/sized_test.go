package inputs

import (
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// sized returns a transaction with the given numbers of inputs, outputs and empty witness items.
func sized(ins, outs, items int) *wire.MsgTx {
	tx := &wire.MsgTx{Version: 2}
	for i := range ins {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{1}, Index: uint32(i)}})
	}
	for range outs {
		tx.AddTxOut(&wire.TxOut{})
	}
	if items > 0 {
		tx.TxIn[0].Witness = make(wire.TxWitness, items)
	}
	return tx
}
