package bitcoin

import (
	"errors"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// libraryAgrees fails the test if bitcoin.VerifyTx does not have the given verdict on input i of
// tx. An error for an earlier input says nothing about i.
func libraryAgrees(t testing.TB, tx *wire.MsgTx, spent []wireform.Output, i int, r bitcoin.Rules,
	valid bool) {
	t.Helper()
	rules := must(bitcoin.RulesOf(r.Flags()))
	seen := map[wire.OutPoint]bool{}
	fetch := txscript.NewMultiPrevOutFetcher(nil)
	for k, in := range tx.TxIn {
		if seen[in.PreviousOutPoint] {
			return // the interface of btcd has one output for both
		}
		seen[in.PreviousOutPoint] = true
		if spent[k].Known {
			fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(spent[k].Amount, spent[k].Script))
		}
	}
	var at *bitcoin.InputError
	err := bitcoin.VerifyTx(t.Context(), tx, fetch, rules, &bitcoin.Options{Workers: 1})
	if err != nil && !errors.As(err, &at) {
		t.Fatal(err)
	}
	if before := err != nil && at.Input < i; !before && (err == nil || at.Input > i) != valid {
		t.Errorf("input %d: valid is %v, and VerifyTx says: %v", i, valid, err)
	}
}

// fetcherOf returns a source of the outputs that the inputs of block spend.
func fetcherOf(block *wire.MsgBlock, outputs []wireform.Output) *txscript.MultiPrevOutFetcher {
	fetch := txscript.NewMultiPrevOutFetcher(nil)
	for _, tx := range block.Transactions[1:] {
		for _, in := range tx.TxIn {
			fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(outputs[0].Amount, outputs[0].Script))
			outputs = outputs[1:]
		}
	}
	return fetch
}

// TestLibraryBlocks checks that bitcoin.VerifyBlock accepts the sample and the blocks that Bitcoin
// Core wrote, and that it fills a cache with the sample's signatures.
func TestLibraryBlocks(t *testing.T) {
	cache := txscript.NewSigCache(10000)
	verify := func(raw []byte, outs []wireform.Output, rules bitcoin.Rules) {
		t.Helper()
		block := blockIn(t, raw)
		for _, workers := range []int{1, 3} {
			if err := bitcoin.VerifyBlock(t.Context(), block, fetcherOf(block, outs), rules,
				&bitcoin.Options{Workers: workers, SigCache: cache}); err != nil {
				t.Errorf("block %v: %v", block.BlockHash(), err)
			}
		}
	}
	c := bestChain(t, coreFiles)
	for h := range int32(108) {
		raw, spent := blockAt(t, c, h)
		verify(raw, spent, consensus.Regtest.RulesAt(h, chainhash.Hash{}))
	}
	raw, outs := bitcointest.Unpack(t, sample.Block), sampleOutputs(t)
	verify(raw, outs, consensus.Mainnet.RulesAt(277647, chainhash.Hash{}))
	spent := readSpent(t, bitcointest.SpentFile(blockIn(t, raw), txOuts(outs)))
	for _, u := range run(RawBlock(source("block", raw), false, spent, onMainnet)).all {
		digest := chainhash.Hash(u.Signatures[0].Digest)
		if len(u.Keys) == 1 && !cache.Exists(digest, u.Signatures[0].Sig, u.Keys[0]) {
			t.Errorf("%v: its signature is not in the cache", u.Where)
		}
	}
}
