package bitcoin

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
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

// A fullBlock is a block with the outputs that it spends.
type fullBlock struct {
	*wire.MsgBlock
	fetch *txscript.MultiPrevOutFetcher
	rules bitcoin.Rules
}

func fullBlockOf(t testing.TB, raw []byte, outputs []wireform.Output,
	rules bitcoin.Rules) fullBlock {
	b := fullBlock{blockIn(t, raw), txscript.NewMultiPrevOutFetcher(nil), rules}
	for _, tx := range b.Transactions[1:] {
		for _, in := range tx.TxIn {
			b.fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(outputs[0].Amount, outputs[0].Script))
			outputs = outputs[1:]
		}
	}
	if len(outputs) > 0 {
		t.Fatalf("%d outputs are left", len(outputs))
	}
	return b
}

// engines verifies the block as btcd's blockchain package does, but on one goroutine: a script
// engine runs for each input, with the cache that the function cache returns.
func (b *fullBlock) engines(cache func() *txscript.SigCache) error {
	flags := b.rules.Flags()
	for _, tx := range b.Transactions[1:] {
		var hashes *txscript.TxSigHashes
		if tx.HasWitness() {
			hashes = txscript.NewTxSigHashes(tx, b.fetch)
		}
		for i, in := range tx.TxIn {
			out := b.fetch.FetchPrevOutput(in.PreviousOutPoint)
			vm, err := txscript.NewEngine(out.PkScript, tx, i, flags, cache(), hashes, out.Value,
				b.fetch)
			if err == nil {
				err = vm.Execute()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// cached adds the contents of a cache of btcd to all: for each digest, the signatures with their
// keys.
func cached(c *txscript.SigCache, all map[string][]string) {
	for i := reflect.ValueOf(c).Elem().FieldByName("validSigs").MapRange(); i.Next(); {
		digest := make([]byte, 0, 32)
		for k := range i.Key().Len() {
			digest = append(digest, byte(i.Key().Index(k).Uint()))
		}
		sig, key := i.Value().Field(0).Bytes(), bytes.Clone(i.Value().Field(1).Bytes())
		if len(key) == 65 { // the library has hybrid keys in uncompressed form
			key[0] = 4
		}
		all[string(digest)] = append(all[string(digest)], string(sig)+"|"+string(key))
	}
}

// TestLibraryBlocks checks that bitcoin.VerifyBlock accepts the sample and the blocks that Bitcoin
// Core wrote, and fills a cache like btcd's engine does.
func TestLibraryBlocks(t *testing.T) {
	blocks := []fullBlock{fullBlockOf(t, bitcointest.Unpack(t, sample.Block), sampleOutputs(t),
		consensus.Mainnet.RulesAt(277647, chainhash.Hash{}))}
	c := bestChain(t, coreFiles)
	for h := range int32(108) {
		raw, spent := blockAt(t, c, h)
		blocks = append(blocks, fullBlockOf(t, raw, spent,
			consensus.Regtest.RulesAt(h, chainhash.Hash{})))
	}
	signatures := 0
	for i := range blocks {
		b := &blocks[i]
		// A cache has one signature for each digest. If several inputs have the same digest, either
		// may have been the last.
		var caches []*txscript.SigCache
		if err := b.engines(func() *txscript.SigCache {
			caches = append(caches, txscript.NewSigCache(100))
			return caches[len(caches)-1]
		}); err != nil {
			t.Fatal(err)
		}
		got, want, ours := map[string][]string{}, map[string][]string{}, txscript.NewSigCache(10000)
		for _, c := range caches {
			cached(c, want)
		}
		for _, workers := range []int{1, 3} {
			err := bitcoin.VerifyBlock(t.Context(), b.MsgBlock, b.fetch, b.rules,
				&bitcoin.Options{Workers: workers, SigCache: ours})
			if err != nil {
				t.Error(err)
			}
		}
		cached(ours, got)
		if len(got) != len(want) {
			t.Errorf("block %d: %d digests in the cache, want %d", i, len(got), len(want))
		}
		for digest, signature := range got {
			if !slices.Contains(want[digest], signature[0]) {
				t.Errorf("block %d: a signature in the cache that the engine does not add", i)
			}
		}
		signatures += len(got)
		if err := b.engines(func() *txscript.SigCache { return ours }); err != nil {
			t.Error("with the filled cache:", err)
		}
	}
	if signatures < 1000 {
		t.Errorf("only %d signatures", signatures)
	}
}
