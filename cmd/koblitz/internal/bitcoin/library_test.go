package bitcoin

import (
	"bytes"
	"errors"
	"math/rand/v2"
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
	rules, err := bitcoin.RulesOf(r.Flags())
	if err != nil {
		t.Fatal(err)
	}
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
	err = bitcoin.VerifyTx(t.Context(), tx, fetch, rules, &bitcoin.Options{Workers: 1})
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
	b := fullBlock{new(wire.MsgBlock), txscript.NewMultiPrevOutFetcher(nil), rules}
	if err := b.Deserialize(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
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

// sampleBlock returns the sample block.
func sampleBlock(t testing.TB) fullBlock {
	return fullBlockOf(t, bitcointest.Unpack(t, sample.Block),
		sampleOutputs(t),
		consensus.Mainnet.RulesAt(277647, chainhash.Hash{}))
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
	blocks := []fullBlock{sampleBlock(t)}
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

// TestLibraryDamage changes bits of signatures, scripts and outputs of blocks. bitcoin.VerifyBlock
// must refuse a changed block if and only if the engines refuse it.
func TestLibraryDamage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	n := 400 / oneIn(40)
	c := bestChain(t, coreFiles)
	refused := 0
	var blocks []fullBlock
	for h := range int32(108) {
		raw, spent := blockAt(t, c, h)
		if b := fullBlockOf(t, raw, spent, consensus.Regtest.RulesAt(h,
			chainhash.Hash{})); len(b.Transactions) > 1 {
			blocks = append(blocks, b)
		}
	}
	for range n {
		b := &blocks[rnd.IntN(len(blocks))]
		tx := b.Transactions[1+rnd.IntN(len(b.Transactions)-1)]
		in := tx.TxIn[rnd.IntN(len(tx.TxIn))]
		var parts [][]byte
		for _, p := range append([][]byte{in.SignatureScript, tx.TxOut[0].PkScript,
			b.fetch.FetchPrevOutput(in.PreviousOutPoint).PkScript}, in.Witness...) {
			if len(p) > 0 {
				parts = append(parts, p)
			}
		}
		part := parts[rnd.IntN(len(parts))]
		k, bit := rnd.IntN(len(part)), byte(1)<<rnd.IntN(8)
		part[k] ^= bit
		want := b.engines(func() *txscript.SigCache { return nil })
		got := bitcoin.VerifyBlock(t.Context(), b.MsgBlock, b.fetch, b.rules, nil)
		if (got == nil) != (want == nil) {
			t.Errorf("byte %d of %x: %v; the engines: %v", k, part, got, want)
		}
		if want != nil {
			refused++
		}
		part[k] ^= bit
	}
	if refused < n/2 {
		t.Errorf("only %d of %d changes are refused", refused, n)
	}
}

// BenchmarkLibraryBlock measures the verification of the sample block, by this library on one
// goroutine and by btcd's engines.
func BenchmarkLibraryBlock(b *testing.B) {
	block := sampleBlock(b)
	b.Run("koblitz", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := bitcoin.VerifyBlock(b.Context(), block.MsgBlock, block.fetch, block.rules,
				&bitcoin.Options{Workers: 1, SigCache: txscript.NewSigCache(1000)}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("btcd", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			cache := txscript.NewSigCache(1000)
			if err := block.engines(func() *txscript.SigCache { return cache }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
