package before

import (
	"context"
	"fmt"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// CheckInputs runs the scripts of a block's inputs, except the coinbase's.
func CheckInputs(
	_ context.Context, txs []*wire.MsgTx, outputs txscript.PrevOutputFetcher,
	flags txscript.ScriptFlags,
) error {
	cache := txscript.NewSigCache(10_000)
	for _, tx := range txs {
		hashes := txscript.NewTxSigHashes(tx, outputs)
		for i, in := range tx.TxIn {
			out := outputs.FetchPrevOutput(in.PreviousOutPoint)
			engine, err := txscript.NewEngine(
				out.PkScript, tx, i, flags, cache, hashes, out.Value, outputs)
			if err == nil {
				err = engine.Execute()
			}
			if err != nil {
				return fmt.Errorf("input %d of %v: %w", i, tx.TxHash(), err)
			}
		}
	}
	return nil
}
