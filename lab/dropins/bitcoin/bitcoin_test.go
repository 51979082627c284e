// Package bitcoin benchmarks the verification of a block by btcd, and by the module bitcoin of
// koblitz, which is the same with and without the replace lines.
package bitcoin

import (
	"bytes"
	"context"
	"testing"

	"github.com/btcsuite/btcd/blockchain"
	"github.com/btcsuite/btcd/btcutil/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{
	{Name: "block", Open: func() rows.Rows { return block(scripts) }},
	{Name: "block-koblitz", Open: func() rows.Rows { return block(library) }},
}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

// A verifier verifies the scripts of all inputs of a block, except the coinbase's input. outputs
// holds the outputs that these inputs spend.
type verifier func(b *btcutil.Block, outputs []*wire.TxOut) error

// height is the height of the block.
const height = 277647

// block returns the operation that verifies block 277647 of Bitcoin's main chain from its bytes. It
// checks the rules for all blocks, and all scripts. No run reuses results of an earlier run.
func block(scripts verifier) rows.Rows {
	raw := reference.Must(unpacked("277647.block.gz"))
	outputs, err := spent(reference.Must(unpacked("277647.block.spent.gz")))
	if err != nil {
		panic(err)
	}
	return rows.Rows{
		Count: 1,
		Run:   func(int) error { return check(raw, outputs, scripts) },
		Wrong: func(int) bool {
			var b wire.MsgBlock
			if err := b.Deserialize(bytes.NewReader(raw)); err != nil {
				panic(err)
			}
			last := b.Transactions[len(b.Transactions)-1]
			last.TxOut[0].Value-- // so that the signatures of this transaction are wrong
			return scripts(btcutil.NewBlock(&b), outputs) != nil
		},
	}
}

func check(raw []byte, outputs []*wire.TxOut, scripts verifier) error {
	b, err := btcutil.NewBlockFromBytes(raw)
	if err != nil {
		return err
	}
	err = blockchain.CheckBlockSanity(b, chaincfg.MainNetParams.PowLimit,
		blockchain.NewMedianTime())
	if err != nil {
		return err
	}
	return scripts(b, outputs)
}

// view returns the outputs in the form in which btcd has them.
func view(b *btcutil.Block, outputs []*wire.TxOut) *blockchain.UtxoViewpoint {
	view := blockchain.NewUtxoViewpoint()
	i := 0
	for _, tx := range b.Transactions()[1:] {
		for _, in := range tx.MsgTx().TxIn {
			entry := blockchain.NewUtxoEntry(outputs[i], height-1, false)
			view.Entries()[in.PreviousOutPoint] = entry
			i++
		}
	}
	return view
}

// library verifies the block b by koblitz' module bitcoin.
func library(b *btcutil.Block, outputs []*wire.TxOut) error {
	rules, err := bitcoin.RulesAt(wire.MainNet, height, *b.Hash())
	if err != nil {
		return err
	}
	spent := view(b, outputs)
	return bitcoin.VerifyBlock(context.Background(), b.MsgBlock(), spent, rules, nil)
}

// scripts is a verifier: btcd's.
func scripts(b *btcutil.Block, outputs []*wire.TxOut) error {
	view := view(b, outputs)
	for _, tx := range b.Transactions()[1:] {
		err := blockchain.ValidateTransactionScripts(tx, view, txscript.ScriptBip16, nil,
			txscript.NewHashCache(0))
		if err != nil {
			return err
		}
	}
	return nil
}
